const VARINT = 0
const EIGHT_BYTES = 1
const BYTES = 2
const FOUR_BYTES = 5

/**
 * A field of bytes in a protobuf message, for fields that the library's declarations do not have.
 * @returns the last one with this number; undefined where there is none, or the message is malformed.
 */
export function bytesField(message: Uint8Array, number: number): Uint8Array | undefined {
  let found: Uint8Array | undefined
  for (let at = 0; at < message.length;) {
    const tag = varintAt(message, at)
    if (tag === undefined) return undefined
    const kind = tag.value % 8
    const length = lengthOf(message, kind, tag.end)
    if (length === undefined || length.end > message.length) return undefined
    if (kind === BYTES && Math.floor(tag.value / 8) === number) found = message.subarray(length.start, length.end)
    at = length.end
  }
  return found
}

/** Where the content of a field is. */
function lengthOf(message: Uint8Array, kind: number, at: number): { start: number; end: number } | undefined {
  if (kind === EIGHT_BYTES) return { start: at, end: at + 8 }
  if (kind === FOUR_BYTES) return { start: at, end: at + 4 }
  const varint = kind === VARINT || kind === BYTES ? varintAt(message, at) : undefined
  if (varint === undefined) return undefined
  return kind === VARINT ? { start: at, end: varint.end } : { start: varint.end, end: varint.end + varint.value }
}

const LONGEST = 10

function varintAt(message: Uint8Array, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0
  for (let at = start; at < message.length && at < start + LONGEST; at++) {
    const byte = message[at] ?? 0
    value += (byte % 0x80) * 128 ** (at - start)
    if (byte < 0x80) return { value, end: at + 1 }
  }
  return undefined
}
