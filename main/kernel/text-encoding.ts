/** How much text of an unknown encoding is looked at. */
const SAMPLE_BYTES = 64 * 1024

const MARKS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/**
 * The text of a file whose encoding nobody said: by its byte order mark, else UTF-8 if it is valid, else Windows-1252,
 * which spreadsheets in Western languages write. The mark is left out.
 */
export async function* decodeText(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let waiting = Buffer.alloc(0)
  let isStart = true
  for await (const chunk of source) {
    if (decoder !== undefined) {
      yield decoder.decode(chunk, { stream: true })
      continue
    }
    waiting = Buffer.concat([waiting, chunk])
    if (isStart && waiting.length < 3) continue
    if (isStart) decoder = decoderOf(markOf(waiting))
    isStart = false
    if (decoder === undefined) {
      // What is plain ASCII reads the same either way.
      const plain = asciiLength(waiting)
      if (plain > 0) yield waiting.toString('latin1', 0, plain)
      waiting = waiting.subarray(plain)
      if (waiting.length < SAMPLE_BYTES) continue
      decoder = decoderOf(isUtf8(waiting, false) ? 'utf-8' : 'windows-1252')
    }
    yield decoder.decode(waiting, { stream: true })
    waiting = Buffer.alloc(0)
  }
  decoder ??= decoderOf((isStart ? markOf(waiting) : undefined) ?? (isUtf8(waiting, true) ? 'utf-8' : 'windows-1252'))
  yield decoder.decode(waiting)
}

function decoderOf(encoding: string): TextDecoder
function decoderOf(encoding: string | undefined): TextDecoder | undefined
function decoderOf(encoding: string | undefined): TextDecoder | undefined {
  return encoding === undefined ? undefined : new TextDecoder(encoding)
}

const markOf = (bytes: Buffer): string | undefined =>
  MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0]

function asciiLength(bytes: Buffer): number {
  const at = bytes.findIndex((byte) => byte > 0x7f)
  return at < 0 ? bytes.length : at
}

/** @param isWhole false: the last character may be cut off. */
function isUtf8(bytes: Buffer, isWhole: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole })
    return true
  } catch {
    return false
  }
}
