import type { World } from './world.ts'

/** One message of the stream, as a browser would hand it on. */
interface Heard {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: any
  readonly atMs: number
}

/** An open stream of notices. */
export interface Listening {
  readonly status: number
  readonly headers: Headers
  readonly heard: Heard[]
  /** Resolves with the first message that fits, heard already or to come. @throws after two seconds */
  next(fits: (heard: Heard) => boolean): Promise<Heard>
  /** Resolves when the service has ended the stream. */
  readonly ended: Promise<number>
  stop(): void
}

/** Listens to /panel/events through a real socket. */
export async function listenTo(w: Pick<World, 'service'>, cookie: string, lastId?: string): Promise<Listening> {
  const stop = new AbortController()
  const answer = await fetch(`${w.service.url}/panel/events`, {
    headers: { cookie, ...(lastId !== undefined && { 'last-event-id': lastId }) },
    signal: stop.signal,
  })
  const heard: Heard[] = []
  const waiting = new Set<() => void>()
  const follow = async () => {
    let text = ''
    try {
      for await (const chunk of (answer.body ?? new Blob([]).stream()).pipeThrough(new TextDecoderStream())) {
        text += chunk
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) heard.push(messageOf(block))
        for (const look of waiting) look()
      }
    } catch {
      // Cut off, by either side.
    }
    return performance.now()
  }
  const ended = follow()
  return {
    status: answer.status,
    headers: answer.headers,
    heard,
    ended,
    stop: () => stop.abort(),
    next: (fits) =>
      new Promise((resolve, reject) => {
        const patience = setTimeout(() => reject(new Error(`nothing came: ${JSON.stringify(heard)}`)), 60_000)
        const look = () => {
          const found = heard.find(fits)
          if (found === undefined) return
          clearTimeout(patience)
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}

function messageOf(block: string): Heard {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const data = field('data')
  return {
    id: field('id'),
    event: field('event'),
    data: data === undefined ? undefined : JSON.parse(data),
    atMs: performance.now(),
  }
}
