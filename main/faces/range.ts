import type { ByteRange } from '../kernel/file-content.ts'

/** How a conditional or partial request for a file is answered (RFC 9110, sections 13 and 14). */
export type FileSelection =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly range: ByteRange }
  | { readonly kind: 'not_modified' }
  | { readonly kind: 'unsatisfiable' }

type Conditions = Readonly<Record<string, string | string[] | undefined>>

/** @param etag strong, with its quotes. */
export function selectPart(method: string, headers: Conditions, size: number, etag: string): FileSelection {
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = headers
  if (typeof ifNoneMatch === 'string' && matchesAny(ifNoneMatch, etag)) return { kind: 'not_modified' }
  // A date never matches: files have no Last-Modified.
  const isCurrent = ifRange === undefined || String(ifRange).trim() === etag
  if (method !== 'GET' || typeof range !== 'string' || !isCurrent) return { kind: 'whole' }
  return parseRange(range, size)
}

/** If-None-Match compares weakly: caches may have added W/ to our tag. */
function matchesAny(list: string, etag: string): boolean {
  return list.trim() === '*' || list.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

const ONE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i

/** Several ranges at once, other units and invalid ranges get the whole file, as HTTP allows. */
function parseRange(wanted: string, size: number): FileSelection {
  const [, from = '', to = ''] = ONE_RANGE.exec(wanted.trim()) ?? []
  if (from === '' && to === '') return { kind: 'whole' }
  if (from === '') return Number(to) === 0 ? { kind: 'unsatisfiable' } : within(Math.max(0, size - Number(to)), size)
  if (to !== '' && Number(to) < Number(from)) return { kind: 'whole' }
  return within(Number(from), size, to === '' ? undefined : Number(to))
}

function within(first: number, size: number, last = size - 1): FileSelection {
  if (first >= size) return { kind: 'unsatisfiable' }
  return { kind: 'part', range: { first, last: Math.min(last, size - 1) } }
}
