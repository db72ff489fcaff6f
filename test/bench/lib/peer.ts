import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { NODE_FLAGS } from '../../support/node-flags.ts'

type Words = Record<string, unknown>

/** A program in its own process that executes commands, one after another. */
export interface Peer {
  readonly pid: number
  ask<T = unknown>(act: string, given?: Words): Promise<T>
  stop(): Promise<void>
}

const alive = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

/**
 * Starts a program with the same Node flags as the service, so that the two can be compared.
 * @param environment additional environment variables.
 */
export async function startPeer(file: string, environment: Record<string, string>): Promise<Peer> {
  const child = fork(file, [], { env: { ...process.env, ...environment }, execArgv: [...NODE_FLAGS] })
  alive.add(child)
  child.once('exit', () => alive.delete(child))
  const answer = async <T>(): Promise<T> => {
    const ended = once(child, 'exit').then(() => Promise.reject<T>(new Error(`${file} ended before it answered`)))
    const { value, error } = (await Promise.race([once(child, 'message').then(([said]) => said as Words), ended])) as {
      value?: T
      error?: string
    }
    if (error !== undefined) throw new Error(`${file}: ${error}`)
    return value as T
  }
  child.setMaxListeners(0)
  await answer()
  return {
    pid: child.pid ?? 0,
    ask(act, given = {}) {
      const answered = answer<never>()
      child.send({ act, given })
      return answered
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/**
 * Declares the commands of such a program. It is ready when it calls this, and ends when its parent ends.
 * @param close cleans up before the end.
 */
export function answerAs(acts: Record<string, (given: never) => unknown>, close: () => unknown = () => {}): void {
  process.on('message', ({ act, given }: { act: string; given: never }) => {
    const done = async () => acts[act]?.(given)
    done().then(
      (value) => process.send?.({ value: value ?? null }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
    )
  })
  process.once('disconnect', () => void Promise.resolve(close()).finally(() => process.exit(0)))
  process.send?.({ value: null })
}
