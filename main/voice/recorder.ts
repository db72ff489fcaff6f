import { open, mkdir, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Application, createEncoder, Signal, type OpusEncoderHandle } from 'libopus-wasm'
import {
  EncodedAudioPacketSource,
  EncodedPacket,
  NullTarget,
  OggOutputFormat,
  Output,
  StreamTarget,
  type Target,
} from 'mediabunny'
import { energyOf, FRAME, FRAME_MS, RATE, SILENCE, SPEECH_ENERGY } from './audio.ts'
import { createPeaks, joinPeaks } from './peaks.ts'
import type { RecordingFacts } from './protocol.ts'

export interface Recorder {
  /** Adds 20 ms of both sides. Never waits: audio that cannot be written yet is kept in memory. */
  add(agent: Int16Array, person: Int16Array): void
  /** Completes the file. @returns null if nothing was recorded, or it could not be written. */
  close(): Promise<RecordingFacts | null>
}

interface Recording {
  readonly title: string
  readonly isSandbox: boolean
  /** Called when the file cannot be written any longer. */
  readonly onFailed: (error: unknown) => void
}

const CHANNELS = 2
const OPUS_RATE = 48_000
const BITRATE = 24_000
/** Sufficient for speech; the default of 10 takes twice as long. */
const COMPLEXITY = 5
/** The most that a crash can lose. */
const PAGE_SECONDS = 1

/** Writes a running call as stereo Ogg with Opus, the agent on the left, the person on the right. */
export async function createRecorder({ path, ...recording }: Recording & { readonly path: string }): Promise<Recorder> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'w', 0o600)
  const recorder = await recordTo(new StreamTarget(writerOf(file)), recording)
  return {
    add: recorder.add,
    async close() {
      const facts = await recorder.close()
      await file.close().catch(() => {})
      return facts
    },
  }
}

/**
 * Records one second of silence. The first use of the code compiles it, which takes about 50 ms and would make all
 * running calls stutter.
 */
export async function warmUpRecorder(): Promise<void> {
  const recorder = await recordTo(new NullTarget(), { title: '', isSandbox: true, onFailed() {} })
  const noise = Int16Array.from({ length: FRAME }, (_, i) => ((i * 7_919) % 8_192) - 4_096)
  for (let ms = 0; ms < 1_000; ms += FRAME_MS) recorder.add(noise, noise)
  await recorder.close()
}

async function recordTo(target: Target, { title, isSandbox, onFailed }: Recording): Promise<Recorder> {
  const encoder = await createEncoder({
    ...{ sampleRate: RATE, channels: CHANNELS, frameSize: FRAME, application: Application.Voip },
    ...{ bitrate: BITRATE, complexity: COMPLEXITY, signal: Signal.Voice },
  })
  const source = new EncodedAudioPacketSource('opus')
  const output = new Output({
    format: new OggOutputFormat({ maximumPageDuration: PAGE_SECONDS }),
    target,
  })
  output.addAudioTrack(source)
  output.setMetadataTags({
    title,
    comment: isSandbox ? 'Simulated call: nobody was called.' : 'Recorded by Switchboard.',
  })
  const [agentPeaks, personPeaks] = [createPeaks(), createPeaks()]
  const stereo = new Int16Array(FRAME * CHANNELS)
  let frames = 0
  let hasAudio = false
  let hasFailed = false
  // One packet after another: the container waits for the file.
  let writing: Promise<unknown> = output.start()

  function fail(error: unknown): void {
    if (hasFailed) return
    hasFailed = true
    onFailed(error)
  }

  function encode(agent: Int16Array, person: Int16Array): void {
    for (let i = 0; i < FRAME; i++) {
      stereo[2 * i] = agent[i] ?? 0
      stereo[2 * i + 1] = person[i] ?? 0
    }
    const at = (frames++ * FRAME_MS) / 1_000
    const packet = new EncodedPacket(new Uint8Array(encoder.encode(stereo)), 'key', at, FRAME_MS / 1_000)
    const meta = at === 0 ? { decoderConfig: configOf(encoder) } : undefined
    writing = writing.then(() => (hasFailed ? undefined : source.add(packet, meta))).catch(fail)
  }

  return {
    add(agent, person) {
      if (hasFailed) return
      agentPeaks.add(agent)
      personPeaks.add(person)
      hasAudio ||= energyOf(agent) > SPEECH_ENERGY || energyOf(person) > SPEECH_ENERGY
      encode(agent, person)
    },
    async close() {
      const durationMs = frames * FRAME_MS
      // The encoder buffers audio: the last part comes out with one more frame.
      if (frames > 0 && !hasFailed) encode(SILENCE, SILENCE)
      await writing
      if (frames > 0 && !hasFailed) await output.finalize().catch(fail)
      encoder.free()
      if (frames === 0 || hasFailed) return null
      return { durationMs, hasAudio, peaks: joinPeaks(agentPeaks.bytes(), personPeaks.bytes()) }
    },
  }
}

const writerOf = (file: FileHandle) =>
  new WritableStream<{ data: Uint8Array; position: number }>({
    async write({ data, position }) {
      // A single write may take only a part of the bytes.
      for (let at = 0; at < data.length;)
        at += (await file.write(data, at, data.length - at, position + at)).bytesWritten
    },
  })

/** OpusHead (RFC 7845), which the container library does not create. */
function configOf(encoder: OpusEncoderHandle) {
  const head = Buffer.alloc(19)
  head.write('OpusHead', 'latin1')
  head.writeUInt8(1, 8)
  head.writeUInt8(CHANNELS, 9)
  head.writeUInt16LE(encoder.getLookahead() * (OPUS_RATE / RATE), 10)
  head.writeUInt32LE(RATE, 12)
  return { codec: 'opus', numberOfChannels: CHANNELS, sampleRate: OPUS_RATE, description: new Uint8Array(head) }
}
