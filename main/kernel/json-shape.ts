/** What JSON text is made of, found without building its value. */
export interface JsonShape {
  /** Values, including lists and objects. */
  readonly values: number
  /** Most fields of one object. */
  readonly fields: number
  /** Lists and objects inside each other. */
  readonly depth: number
  readonly hasLoneSurrogate: boolean
  /** A number outside the range of a double, which would become infinite. */
  readonly hasInfiniteNumber: boolean
}

export interface JsonLimits {
  readonly values: number
  readonly depth: number
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c] as const
const [LETTER_D, LETTER_U] = [0x64, 0x75] as const
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d] as const

/** Fields of the open object at each depth. Kept, because a stream has thousands of texts to be judged. */
let fieldsAt = new Uint32Array(0)

/**
 * One pass over the bytes, many times faster than a walk over the value. Of bytes that are not JSON it says anything.
 * @returns what was found until a limit was exceeded.
 */
export function jsonShape(bytes: Buffer, limits: JsonLimits): JsonShape {
  if (fieldsAt.length < limits.depth + 2) fieldsAt = new Uint32Array(limits.depth + 2)
  fieldsAt[0] = 0
  let [values, fields, depth, deepest] = [1, 0, 0, 0]
  let [hasLoneSurrogate, hasInfiniteNumber] = [false, false]
  for (let at = 0; at < bytes.length && values <= limits.values && deepest <= limits.depth; at++) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) {
      const text = textFrom(bytes, at + 1)
      at = text.end
      if (text.hasLoneSurrogate) hasLoneSurrogate = true
    } else if (byte === COMMA) values++
    else if (byte === COLON) {
      const count = (fieldsAt[depth] ?? 0) + 1
      fieldsAt[depth] = count
      if (count > fields) fields = count
    } else if (byte === LIST || byte === OBJECT) {
      values++
      depth++
      fieldsAt[depth] = 0
      if (depth > deepest) deepest = depth
    } else if (byte === LIST_END || byte === OBJECT_END) depth--
    else if (isDigit(byte)) {
      const number = numberFrom(bytes, at)
      at = number.end - 1
      if (number.isInfinite) hasInfiniteNumber = true
    }
  }
  return { values, fields, depth: deepest, hasLoneSurrogate, hasInfiniteNumber }
}

/** @returns where the closing quote is. */
function textFrom(bytes: Buffer, start: number): { readonly end: number; readonly hasLoneSurrogate: boolean } {
  let hasLoneSurrogate = false
  let at = start
  for (; at < bytes.length && bytes[at] !== QUOTE; at++) {
    if (bytes[at] !== BACKSLASH) continue
    const half = surrogateAt(bytes, at)
    if (half === 'high' && surrogateAt(bytes, at + 6) === 'low') at += 11
    else {
      if (half !== undefined) hasLoneSurrogate = true
      // What follows a backslash ends no text.
      at++
    }
  }
  return { end: at, hasLoneSurrogate }
}

/** High from \ud800, low from \udc00. In UTF-8 itself there are no halves, so they can only be escaped. */
function surrogateAt(bytes: Buffer, at: number): 'high' | 'low' | undefined {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return undefined
  const first = bytes[at + 2] ?? 0
  const second = bytes[at + 3] ?? 0
  if (toLowerCase(first) !== LETTER_D) return undefined
  if (second === 0x38 || second === 0x39 || toLowerCase(second) === 0x61 || toLowerCase(second) === 0x62) return 'high'
  return isDigit(second) ? undefined : 'low'
}

function numberFrom(bytes: Buffer, start: number): { readonly end: number; readonly isInfinite: boolean } {
  let end = start
  let hasExponent = false
  for (; end < bytes.length; end++) {
    const byte = bytes[end] ?? 0
    if (toLowerCase(byte) === 0x65) hasExponent = true
    // The point, and the signs of an exponent.
    else if (!isDigit(byte) && byte !== 0x2e && byte !== 0x2b && byte !== 0x2d) break
  }
  const mayBeInfinite = hasExponent || end - start >= DOUBLE_DIGITS
  return { end, isInfinite: mayBeInfinite && Number(bytes.toString('latin1', start, end)) === Infinity }
}

/** A whole number with fewer digits is in the range of a double. */
const DOUBLE_DIGITS = 309

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39
/** Of a letter. */
const toLowerCase = (byte: number) => byte | 0x20
