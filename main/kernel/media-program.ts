import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import createCore, { type Core } from '@ffmpeg/core'
import { collectEverything } from './buffer-garbage.ts'
import { MEDIA_TARGETS, type MediaTarget } from './media-targets.ts'
import { encodeVoiceNote } from './voice-note-encoder.ts'

/** A thread that converts files, one at a time. media-converter.ts starts it, and ends it when it takes too long. */
export interface MediaRequest {
  readonly target: MediaTarget
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** null: the file cannot be read as what it should be, or needs too much memory. */
export type MediaResponse = { readonly bytes: Uint8Array<ArrayBuffer>; readonly loudness: Buffer | null } | null

const MOST_MEMORY_BYTES = 256 * 1024 * 1024
const PAGE_BYTES = 64 * 1024
const BARS = 64

const compiled = readFile(fileURLToPath(import.meta.resolve('@ffmpeg/core/wasm'))).then((bytes) =>
  WebAssembly.compile(bytes),
)
// Made for browsers, FFmpeg's core asks its thread for its address.
Object.assign(globalThis, { self: { location: { href: 'file:///' } } })

parentPort?.on('message', (request: MediaRequest) => {
  void convert(request).then((response) => {
    const transfer = response === null ? [] : [response.bytes.buffer]
    parentPort?.postMessage(response, transfer)
    collectEverything()
  })
})

/** FFmpeg's program ends after one command, so each gets a new instance. */
async function convert({ target, bytes }: MediaRequest): Promise<MediaResponse> {
  const { args, output } = MEDIA_TARGETS[target]
  try {
    const core = await instantiate(await compiled)
    core.FS.writeFile('in', bytes)
    if (core.exec('-hide_banner', '-loglevel', 'error', ...args) !== 0) return null
    const converted = core.FS.readFile(output)
    if (converted.length === 0) return null
    if (target !== 'voice') return { bytes: new Uint8Array(converted), loudness: null }
    const samples = samplesOf(converted)
    return { bytes: new Uint8Array(await encodeVoiceNote(samples)), loudness: loudnessOf(samples) }
  } catch {
    // A file may be made to break a decoder. Nothing of this instance is used again.
    return null
  }
}

function instantiate(program: WebAssembly.Module): Promise<Core> {
  return createCore({
    instantiateWasm(imports, receive) {
      void WebAssembly.instantiate(program, imports).then((instance) => {
        limitMemory(instance)
        receive(instance)
      })
      return {}
    },
  })
}

/** The program may otherwise take two gigabytes. It treats a refusal as a failed allocation. */
function limitMemory({ exports }: WebAssembly.Instance): void {
  for (const memory of Object.values(exports)) {
    if (!(memory instanceof WebAssembly.Memory)) continue
    const grow = memory.grow.bind(memory)
    memory.grow = (pages) => {
      if (memory.buffer.byteLength + pages * PAGE_BYTES > MOST_MEMORY_BYTES) throw new RangeError('too much memory')
      return grow(pages)
    }
  }
}

/** Every machine that this runs on has the byte order of the file. */
const samplesOf = (pcm: Uint8Array): Int16Array => new Int16Array(new Uint8Array(pcm).buffer, 0, pcm.length >> 1)

/** What phones draw beside a voice note: 64 values from 0 to 100. */
function loudnessOf(samples: Int16Array): Buffer {
  const bars = Array.from({ length: BARS }, (_, bar) => {
    const from = Math.floor((bar * samples.length) / BARS)
    const until = Math.max(from + 1, Math.floor(((bar + 1) * samples.length) / BARS))
    const part = samples.subarray(from, until)
    return part.reduce((sum, sample) => sum + Math.abs(sample), 0) / (until - from)
  })
  const most = Math.max(...bars, 1)
  return Buffer.from(bars.map((bar) => Math.round((100 * bar) / most)))
}
