import { Worker } from 'node:worker_threads'
import type { FliteRequest, FliteResponse } from './flite-thread.ts'
import type { Tts } from './speech.ts'

const CACHED_SAMPLES = 16_000 * 120
const LONGEST_TEXT = 2_000

export interface BuiltInVoice extends Tts {
  close(): Promise<void>
}

/**
 * The voice that comes with Switchboard. It speaks English only. What was said lately is kept: greetings repeat.
 * @param program path of flite-thread.ts as it was built.
 */
export function createBuiltInVoice(program: string): BuiltInVoice {
  const cache = new Map<string, Promise<Int16Array>>()
  const waiting = new Map<number, (pcm: Int16Array | null) => void>()
  let samples = 0
  let requests = 0
  let thread: Worker | undefined

  function start(): Worker {
    const started = new Worker(program, { stdout: true, stderr: true })
    started.unref()
    started.on('message', ({ id, pcm }: FliteResponse) => {
      waiting.get(id)?.(pcm)
      waiting.delete(id)
    })
    const fail = () => {
      if (thread !== started) return
      thread = undefined
      for (const settle of waiting.values()) settle(null)
      waiting.clear()
    }
    started.on('error', fail)
    started.on('exit', fail)
    return started
  }

  async function make(text: string, voice: string): Promise<Int16Array> {
    const id = ++requests
    const pcm = await new Promise<Int16Array | null>((resolve) => {
      waiting.set(id, resolve)
      const request: FliteRequest = { id, text: text.slice(0, LONGEST_TEXT), voice }
      thread ??= start()
      thread.postMessage(request)
    })
    if (pcm === null) throw new Error('The built-in voice failed.')
    return pcm
  }

  function remember(key: string, made: Promise<Int16Array>): void {
    cache.set(key, made)
    made.then(
      ({ length }) => {
        samples += length
        for (const [old, pcm] of cache) {
          if (samples <= CACHED_SAMPLES || old === key) break
          cache.delete(old)
          void pcm.then((one) => (samples -= one.length))
        }
      },
      () => cache.delete(key),
    )
  }

  return {
    async *say(text, voice) {
      const key = `${voice}\n${text}`
      const made = cache.get(key) ?? make(text, voice)
      if (!cache.has(key)) remember(key, made)
      yield await made
    },
    async close() {
      await thread?.terminate()
    },
  }
}
