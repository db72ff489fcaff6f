import { FRAME_MS } from '../../audio.ts'

/** DTMF digits as RTP events (RFC 4733). */

const DIGITS = '0123456789*#ABCD'
const END = 0x80
/** -10 dBm0. */
const VOLUME = 10
const TICKS_PER_FRAME = 8 * FRAME_MS
/** 160 ms of the digit. */
const FRAMES_LONG = 8
/** 100 ms before the next digit. */
const FRAMES_BETWEEN = 5
/** RFC 4733, section 2.5.1.4: the end is sent three times, in case one is lost. */
const ENDS = 3

/** @returns undefined if it is not a DTMF digit. */
export function readDigit(payload: Uint8Array): string | undefined {
  return payload.length < 4 ? undefined : DIGITS[payload[0] ?? DIGITS.length]
}

/** Payloads for 20 ms, one event each; empty during the pause after a digit. */
export interface DigitFrame {
  readonly payloads: readonly Buffer[]
  readonly isFirst: boolean
}

/** The frames of a digit. */
export function framesOfDigit(digit: string): DigitFrame[] {
  const event = DIGITS.indexOf(digit)
  const payload = (frames: number, flags: number) => {
    const ticks = frames * TICKS_PER_FRAME
    return Buffer.from([event, flags | VOLUME, ticks >> 8, ticks & 0xff])
  }
  const tone = Array.from({ length: FRAMES_LONG }, (_, i) => ({
    payloads: i < FRAMES_LONG - 1 ? [payload(i + 1, 0)] : Array.from({ length: ENDS }, () => payload(FRAMES_LONG, END)),
    isFirst: i === 0,
  }))
  return [...tone, ...Array.from({ length: FRAMES_BETWEEN }, () => ({ payloads: [], isFirst: false }))]
}
