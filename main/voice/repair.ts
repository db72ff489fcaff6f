import { readFile } from 'node:fs/promises'
import { createDecoder } from 'libopus-wasm'
import { writeDurably } from '../kernel/durable-file.ts'
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts'
import { energyOf, FRAME, RATE, SPEECH_ENERGY } from './audio.ts'
import { asLastPage, lengthOf, readPages } from '../kernel/ogg.ts'
import { createPeaks, joinPeaks } from './peaks.ts'
import type { RecordingFacts } from './protocol.ts'

const HEADER_PAGES = 2
const OPUS_RATE = 48
/** Shorter recordings are not kept. */
const SHORTEST_MS = 100
const PACKETS_AT_ONCE = 50

/**
 * Completes an interrupted recording: cuts off an incomplete page, and marks the last page as such.
 * @returns null if there is no recording, or nothing is audible.
 */
export async function repairRecording(path: string): Promise<RecordingFacts | null> {
  const file = await readFile(path).catch(() => null)
  if (file === null) return null
  const pages = readPages(file)
  const last = pages.at(-1)
  const preSkip = pages[0]?.packets[0] === undefined ? 0 : Buffer.from(pages[0].packets[0]).readUInt16LE(10)
  const durationMs = Math.floor((Number(lengthOf(pages)) - preSkip) / OPUS_RATE)
  if (last === undefined || pages.length <= HEADER_PAGES || durationMs < SHORTEST_MS) return null
  const packets = pages.slice(HEADER_PAGES).flatMap((page) => page.packets)
  const heard = await listen(packets)
  asLastPage(file, last).copy(file, last.offset)
  // Written to another file, because the recording process may outlive its service for a moment and still write.
  await writeDurably(path, file.subarray(0, last.offset + last.length))
  return { durationMs, ...heard }
}

/** Computes the waveform, which was only in the memory of the ended process. */
async function listen(packets: readonly Uint8Array[]): Promise<Pick<RecordingFacts, 'hasAudio' | 'peaks'>> {
  const decoder = await createDecoder({ sampleRate: RATE, channels: 2 })
  const sides = [createPeaks(), createPeaks()] as const
  let hasAudio = false
  try {
    for (const [i, packet] of packets.entries()) {
      const stereo = decoder.decode(packet)
      for (const [channel, side] of sides.entries()) {
        const pcm = new Int16Array(FRAME)
        for (let at = 0; at < FRAME; at++) pcm[at] = stereo[2 * at + channel] ?? 0
        side.add(pcm)
        hasAudio ||= energyOf(pcm) > SPEECH_ENERGY
      }
      if (i % PACKETS_AT_ONCE === 0) await yieldToEventLoop()
    }
  } finally {
    decoder.free()
  }
  return { hasAudio, peaks: joinPeaks(sides[0].bytes(), sides[1].bytes()) }
}
