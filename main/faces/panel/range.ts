type Headers = Readonly<Record<string, string | string[]>>

interface Whole {
  readonly status: number
  readonly headers: Headers
}

interface Range {
  /** Of the whole: how many bytes are left out before, and how many are sent. */
  readonly skip: number
  readonly length: number
  /** What is answered instead of the whole: 206, or 416 where the range lies outside of it. */
  readonly answer: Whole
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/

/**
 * What a Range header makes of an answer that is a file: players seek by ranges, and the window's players reach files
 * through the panel alone. Several ranges, and anything that is no range, are answered with the whole, as HTTP allows.
 */
export function parseRange(wanted: string | string[] | undefined, whole: Whole): Range | undefined {
  const { status, headers } = whole
  const size = Number(headers['content-length'])
  if (status !== 200 || !isFile(headers) || !Number.isSafeInteger(size)) return undefined
  const all: Range = {
    skip: 0,
    length: size,
    answer: { status, headers: { ...headers, 'accept-ranges': 'bytes' } },
  }
  const found = typeof wanted === 'string' ? ONE_RANGE.exec(wanted) : null
  const [, first = '', last = ''] = found ?? []
  if (found === null || (first === '' && last === '')) return all
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < start) return all
  if (start >= size || end < start) return { skip: size, length: 0, answer: answered(416, headers, `*/${size}`, 0) }
  const length = end - start + 1
  return { skip: start, length, answer: answered(206, headers, `${start}-${end}/${size}`, length) }
}

const isFile = (headers: Headers): boolean =>
  !/^(application\/json|text\/event-stream)/.test(String(headers['content-type'] ?? 'application/json'))

const answered = (status: number, headers: Headers, range: string, length: number): Whole => ({
  status,
  headers: {
    ...headers,
    'accept-ranges': 'bytes',
    'content-range': `bytes ${range}`,
    'content-length': String(length),
  },
})

/** The bytes of the range, and no more are read than are needed for it. */
export async function* sliceRange(
  chunks: AsyncIterable<Uint8Array>,
  { skip, length }: Range,
): AsyncGenerator<Uint8Array> {
  let before = skip
  let left = length
  if (left === 0) return
  for await (const chunk of chunks) {
    const part = chunk.subarray(before, before + left)
    before -= Math.min(before, chunk.length)
    left -= part.length
    if (part.length > 0) yield part
    if (left === 0) return
  }
}
