import type { Readable } from 'node:stream'
import { LIMITS } from '../../contract/limits.ts'
import { excessOf, shapeOfForeign } from '../../kernel/foreign-json.ts'
import { jsonShape } from '../../kernel/json-shape.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { BrokenBody } from '../../outbound/outbound.ts'

/** Bytes passed on before yielding to the event loop, because a library parses all available bytes at once. */
const SLICE_BYTES = 4 * 1024
/**
 * Lines in a slice of an event stream. For each event, a library may parse again everything that a tool call has so
 * far.
 */
const SLICE_LINES = 16
/** Limit for a line of an event stream; the longest requested answer needs a tenth of it. */
const LINE_BYTES = 256 * 1024
const LINE_SHAPE = { values: 2_000, depth: LIMITS.bodyDepth } as const
const LINE_FEED = 0x0a

/**
 * A body that a library can read without blocking the event loop: in small slices, and without JSON of too many
 * values. In an event stream, each line is checked separately; any other body is checked as a whole.
 * @throws BrokenBody too_large
 */
export async function* pacedBody(body: Readable, isEventStream: boolean): AsyncGenerator<Uint8Array> {
  for await (const whole of isEventStream ? linesOf(body) : wholeOf(body))
    for (let at = 0; at < whole.length;) {
      const end = endOfSlice(whole, at)
      yield whole.subarray(at, end)
      at = end
      await yieldToEventLoop()
    }
}

function endOfSlice(whole: Buffer, from: number): number {
  const most = Math.min(from + SLICE_BYTES, whole.length)
  let end = from
  for (let lines = 0; lines < SLICE_LINES; lines++) {
    const found = whole.indexOf(LINE_FEED, end)
    if (found === -1 || found >= most) return most
    end = found + 1
  }
  return end
}

/** Chunks that end at line ends. */
async function* linesOf(body: Readable): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  let begunBytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1
    if (end > 0) {
      const part = Buffer.concat([...begun, chunk.subarray(0, end)])
      requireModestLines(part)
      yield part
      begun = []
      begunBytes = 0
    }
    begun.push(chunk.subarray(end))
    begunBytes += chunk.length - end
    if (begunBytes > LINE_BYTES) throw new BrokenBody('too_large')
  }
  const rest = Buffer.concat(begun)
  requireModestLines(rest)
  yield rest
}

function requireModestLines(part: Buffer): void {
  for (let at = 0; at < part.length;) {
    const found = part.indexOf(LINE_FEED, at)
    const end = found === -1 ? part.length : found
    // Each value and each level takes a byte at least.
    if (end - at > LINE_SHAPE.depth) requireModest(part.subarray(at, end))
    at = end + 1
  }
}

function requireModest(line: Buffer): void {
  const { values, depth } = jsonShape(line, LINE_SHAPE)
  if (line.length > LINE_BYTES || values > LINE_SHAPE.values || depth > LINE_SHAPE.depth)
    throw new BrokenBody('too_large')
}

async function* wholeOf(body: Readable): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk)
  const whole = Buffer.concat(chunks)
  if (excessOf(shapeOfForeign(whole)) !== undefined) throw new BrokenBody('too_large')
  yield whole
}
