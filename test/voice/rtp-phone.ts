import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import type { CallEnd } from '../../main/voice/voice-process.ts'
import { peaksOf } from './sip-calls.ts'

/** The sound of the other side: RTP (RFC 3550) with PCMU (RFC 3551, payload type 0), 20 ms in a packet. */

const SAMPLES = 160
const PACKET_MS = 20
const PITCH_HZ = 440
/** Of 32,768. */
const TONE_PEAK = 8_000

/** G.711, table 2a: the byte is inverted, its first bit is the sign, then come segment and interval; 14 bits to 16. */
function sampleOf(byte: number): number {
  const [segment, interval] = [(~byte >> 4) & 7, ~byte & 15]
  const size = ((2 * interval + 33) * 2 ** segment - 33) * 4
  return byte & 0x80 ? size : -size
}
const SAMPLE_OF = Array.from({ length: 256 }, (_, byte) => sampleOf(byte))

/** The byte whose sample is nearest. */
const byteOf = (sample: number): number =>
  SAMPLE_OF.reduce(
    (best, one, byte) => (Math.abs(one - sample) < Math.abs((SAMPLE_OF[best] ?? 0) - sample) ? byte : best),
    0,
  )

/** The number of telephone-event that `describe` offers, and the keys by their events (RFC 4733, section 3.2). */
const KEYS = 101
const KEY_NAMES = '0123456789*#ABCD'

/** A second of the tone, which has a whole number of waves. */
const TONE = Buffer.from(
  Array.from({ length: 8_000 }, (_, i) => byteOf(TONE_PEAK * Math.sin((2 * Math.PI * PITCH_HZ * i) / 8_000))),
)

export interface RtpPhone {
  /** Our session description. @param formats payload types in the order of the offer. */
  describe(formats?: string, more?: { readonly version: number; readonly direction: string }): string
  /** Sends the tone to where their session description says. */
  talkTo(sdp: string): void
  /** Sends nothing until it talks again. */
  pause(): void
  readonly heard: {
    packets: number
    /** Packets that a person hears. */
    loud: number
    peak: number
    /** The keys that they pressed, and how long each sounded, in milliseconds (RFC 4733). */
    readonly keys: { readonly key: string; milliseconds: number; ends: number }[]
    /** What RTP does not allow. */
    readonly faults: string[]
  }
  close(): void
}

export async function rtpPhone(address = '127.0.0.1'): Promise<RtpPhone> {
  const socket = createSocket('udp4')
  socket.bind(0, address)
  await once(socket, 'listening')
  const { port } = socket.address()
  const heard: RtpPhone['heard'] = { packets: 0, loud: 0, peak: 0, keys: [], faults: [] }
  let last: { sequence: number; timestamp: number | undefined; source: number } | undefined
  let lastKeyAt: number | undefined
  let sending: { cancel(): void } | undefined
  let isClosed = false

  socket.on('error', () => {})
  socket.on('message', (packet) => {
    const sequence = packet.readUInt16BE(2)
    const [timestamp, source] = [packet.readUInt32BE(4), packet.readUInt32BE(8)]
    if (((packet[1] ?? 0) & 0x7f) === KEYS) return hearKey(packet, { sequence, timestamp, source })
    if (packet[0] !== 0x80 || ((packet[1] ?? 0) & 0x7f) !== 0)
      heard.faults.push(`header ${packet.subarray(0, 2).toString('hex')}`)
    if (packet.length !== 12 + SAMPLES) heard.faults.push(`${packet.length} bytes`)
    if (last !== undefined) {
      if (sequence !== ((last.sequence + 1) & 0xff_ff)) heard.faults.push(`${sequence} after ${last.sequence}`)
      if (last.timestamp !== undefined && timestamp !== (last.timestamp + SAMPLES) >>> 0)
        heard.faults.push(`at ${timestamp} after ${last.timestamp}`)
      if (source !== last.source) heard.faults.push('another source')
    }
    last = { sequence, timestamp, source }
    const peak = Math.max(...[...packet.subarray(12)].map((byte) => Math.abs(SAMPLE_OF[byte] ?? 0)))
    heard.packets++
    if (peak > 1_000) heard.loud++
    heard.peak = Math.max(heard.peak, peak)
  })

  function hearKey(packet: Buffer, { sequence, timestamp, source }: NonNullable<typeof last> & { timestamp: number }) {
    if (last !== undefined && sequence !== ((last.sequence + 1) & 0xff_ff)) heard.faults.push(`${sequence} with a key`)
    last = { sequence, timestamp: undefined, source }
    const [event = 0, flags = 0] = packet.subarray(12)
    if (timestamp !== lastKeyAt) heard.keys.push({ key: KEY_NAMES[event] ?? '?', milliseconds: 0, ends: 0 })
    lastKeyAt = timestamp
    const key = heard.keys.at(-1)
    if (key === undefined) return
    key.milliseconds = packet.readUInt16BE(14) / 8
    if (flags & 0x80) key.ends++
  }

  return {
    heard,
    describe: (formats = '0 101', { version, direction } = { version: 1, direction: 'sendrecv' }) =>
      [
        ...['v=0', `o=exchange ${port} ${version} IN IP4 ${address}`, 's=call', `c=IN IP4 ${address}`, 't=0 0'],
        `m=audio ${port} RTP/AVP ${formats}`,
        ...(formats.startsWith('0') ? ['a=rtpmap:0 PCMU/8000'] : []),
        ...(formats.includes('101') ? ['a=rtpmap:101 telephone-event/8000', 'a=fmtp:101 0-15'] : []),
        ...(formats.includes('96') ? ['a=rtpmap:96 opus/48000/2'] : []),
        ...['a=ptime:20', ...(direction === 'sendrecv' ? [] : [`a=${direction}`]), ''],
      ].join('\r\n'),
    talkTo(sdp) {
      const to = {
        port: Number(/^m=audio (\d+) RTP\/AVP 0\b/m.exec(sdp)?.[1]),
        host: /^c=IN IP4 (\S+)/m.exec(sdp)?.[1],
      }
      if (to.host === undefined || Number.isNaN(to.port)) throw new Error(`They do not accept PCMU: ${sdp}`)
      const startedAt = performance.now()
      let sent = 0
      sending?.cancel()
      sending = systemClock.every(PACKET_MS / 2, () => {
        for (; sent * PACKET_MS <= performance.now() - startedAt; sent++) {
          const head = Buffer.from([0x80, sent === 0 ? 0x80 : 0, 0, 0, 0, 0, 0, 0, 0x5e, 0xed, 0, 1])
          head.writeUInt16BE((65_500 + sent) & 0xff_ff, 2)
          head.writeUInt32BE((2 ** 32 - 1_600 + sent * SAMPLES) % 2 ** 32, 4)
          const at = (sent * SAMPLES) % TONE.length
          socket.send(Buffer.concat([head, TONE.subarray(at, at + SAMPLES)]), to.port, to.host)
        }
      })
    },
    pause: () => sending?.cancel(),
    close() {
      sending?.cancel()
      if (!isClosed) socket.close()
      isClosed = true
    },
  }
}

/** The tone arrived as it was sent, and so did what the agent said. */
export function expectSound(end: CallEnd | null, { heard }: RtpPhone): void {
  expect(end?.media.framesIn).toBeGreaterThan(100)
  expect(end?.media.framesLost).toBe(0)
  const [agent, person] = peaksOf(end)
  const tone = (TONE_PEAK / 32_768) * 255
  expect(person).toBeGreaterThan(tone - 4)
  expect(person).toBeLessThan(tone + 4)
  expect(heard.faults).toEqual([])
  expect(heard.packets).toBeGreaterThan(100)
  expect(heard.loud).toBeGreaterThan(50)
  // Half the sample rate smooths what was recorded.
  const recorded = (agent / 255) * 32_768
  expect(heard.peak).toBeGreaterThan(0.7 * recorded)
  expect(heard.peak).toBeLessThan(1.1 * recorded)
}

/** Whether nothing receives any more what this session description invites. */
export async function isPortFree(sdp: string): Promise<boolean> {
  const port = Number(/^m=audio (\d+)/m.exec(sdp)?.[1])
  const socket = createSocket('udp4')
  return new Promise((resolve) => {
    socket.once('error', () => (socket.close(), resolve(false)))
    socket.bind(port, /^c=IN IP4 (\S+)/m.exec(sdp)?.[1], () => (socket.close(), resolve(true)))
  })
}
