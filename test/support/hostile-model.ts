import { Worker } from 'node:worker_threads'
import type { HostileNews } from './hostile-model-thread.ts'
import type { HostileStream } from './hostile-streams.ts'

export interface HostileModel {
  /** Ends with `/v1`. */
  readonly url: string
  /** Connections that are open. */
  readonly open: number
  /** From now on, every request is answered in this way. */
  set(stream: HostileStream): Promise<void>
  close(): Promise<void>
}

/**
 * A model server on loopback that answers every request, whatever it asks for, in the way that was set. It has a thread
 * of its own, so that its work is not counted as work of those who read its answers.
 */
export async function startHostileModel(): Promise<HostileModel> {
  const thread = new Worker(new URL('hostile-model-thread.ts', import.meta.url))
  let open = 0
  let hear: (news: HostileNews) => void = () => {}
  const news = () => new Promise<HostileNews>((resolve) => (hear = resolve))
  thread.on('message', (said: HostileNews) => {
    if (said.kind === 'connections') open = said.open
    else hear(said)
  })
  const first = await news()
  if (first.kind !== 'listening') throw new Error(`a model server began with ${first.kind}`)
  return {
    url: `http://127.0.0.1:${first.port}/v1`,
    get open() {
      return open
    },
    async set(stream) {
      const isSet = news()
      thread.postMessage(stream)
      await isSet
    },
    close: async () => void (await thread.terminate()),
  }
}
