type Headers = Readonly<Record<string, string | string[]>>

interface Whole {
  readonly status: number
  readonly headers: Headers
}

interface Range {
  /** Bytes to skip, then bytes to send. */
  readonly skip: number
  readonly length: number
  /** Status and headers: 206, or 416 if the range is outside the file. */
  readonly answer: Whole
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/

/**
 * Applies a Range header to a file response, which media players in the window need for seeking. Multiple or invalid
 * ranges get the whole file, as HTTP allows.
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

/** Yields the bytes of the range and stops reading after it. */
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
