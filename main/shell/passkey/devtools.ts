type Params = Readonly<Record<string, unknown>>
interface Reply {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** A browser that is controlled by the DevTools protocol. */
interface DevTools {
  /** @param session of a target; without one, the command goes to the browser itself. */
  send(method: string, params?: Params, session?: string): Promise<unknown>
  on(method: string, act: (params: unknown) => void): void
}

/** A browser started for one purpose. */
export interface OwnBrowser extends DevTools {
  readonly exited: Promise<void>
  /** Ends it and deletes its profile. */
  close(): Promise<void>
}

export type After = (ms: number, act: () => void) => { cancel(): void }

/** The arguments of every start: an empty profile, and no first-run questions. */
export const startWords = (profile: string, words: readonly string[]): readonly string[] => [
  ...[`--user-data-dir=${profile}`, '--no-first-run', '--no-default-browser-check'],
  ...words,
]

/** @param write sends one message to the browser. */
export function createDevTools(write: (message: string) => void) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const listeners = new Map<string, (params: unknown) => void>()
  let lastId = 0
  const devTools: DevTools = {
    send(method, params = {}, sessionId) {
      const id = ++lastId
      const asked = Promise.withResolvers<unknown>()
      waiting.set(id, asked)
      write(JSON.stringify({ id, method, params, sessionId }))
      return asked.promise
    },
    on: (method, act) => void listeners.set(method, act),
  }
  return {
    devTools,
    /** A message of the browser. */
    receive(message: string): void {
      const { id, method, params, result, error } = JSON.parse(message) as Reply
      if (id === undefined) return listeners.get(method ?? '')?.(params)
      const asked = waiting.get(id)
      waiting.delete(id)
      if (error) asked?.reject(new Error(error.message))
      else asked?.resolve(result)
    },
    /** Rejects everything that is pending. */
    end(): void {
      for (const { reject } of waiting.values()) reject(new Error('the browser has ended'))
      waiting.clear()
    },
  }
}
