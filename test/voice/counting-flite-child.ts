import { parentPort } from 'node:worker_threads'
import type { FliteRequest, FliteResponse } from '../../main/voice/speech/flite-thread.ts'

/** Stands in for Flite. The first sample is how many pieces it has made; `fail` ends the thread, `hang` never answers. */
let made = 0
parentPort?.on('message', ({ id, text }: FliteRequest) => {
  if (text === 'fail') throw new Error('It failed.')
  if (text === 'hang') return
  const pcm = new Int16Array(text.length)
  pcm[0] = ++made
  const response: FliteResponse = { id, pcm }
  // As long as a sentence takes: what comes meanwhile waits.
  setTimeout(() => parentPort?.postMessage(response), 1)
})
