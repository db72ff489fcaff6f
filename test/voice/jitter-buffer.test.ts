import { expect, test } from 'vitest'
import { FRAME } from '../../main/voice/audio.ts'
import { createJitterBuffer } from '../../main/voice/jitter-buffer.ts'

test('drops the oldest sound when nobody reads it', () => {
  const buffer = createJitterBuffer()
  for (let i = 1; i <= 30_000; i++) buffer.add(new Int16Array(FRAME).fill(i))
  const taken: number[] = []
  for (let frame = buffer.take(); frame !== null; frame = buffer.take()) taken.push(frame[0] ?? 0)
  expect(taken).toEqual([29_998, 29_999, 30_000])
})

test('keeps at most two seconds when nobody reads it', () => {
  const buffer = createJitterBuffer()
  const before = process.memoryUsage().arrayBuffers
  // An hour, as a listener who is not heard may send it.
  for (let i = 0; i < 180_000; i++) buffer.add(new Int16Array(FRAME))
  globalThis.gc?.()
  const grown = process.memoryUsage().arrayBuffers - before
  expect(buffer.take()?.length).toBe(FRAME)
  expect(grown).toBeLessThan(60_000_000)
})
