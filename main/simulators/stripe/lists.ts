import { noSuch } from './faults.ts'
import type { Reader } from './form.ts'

interface Listed {
  readonly id: string
  readonly created?: number
}

export interface ListBody<T> {
  readonly object: 'list'
  readonly url: string
  readonly has_more: boolean
  readonly data: T[]
}

/** A list in Stripe's format: newest first, paged by the id of a neighbour. */
export function listOf<T extends Listed>(url: string, all: readonly T[], query: Reader): ListBody<T> {
  const limit = Math.min(Math.max(query.integer('limit') ?? 10, 1), 100)
  const created = query.below('created')
  const exact = query.has('created') && created.names().length === 0 ? query.integer('created') : undefined
  const [gt, gte] = [created.integer('gt'), created.integer('gte')]
  const [lt, lte] = [created.integer('lt'), created.integer('lte')]
  const matches = all.filter(({ created: at = 0 }) => {
    if (exact !== undefined && at !== exact) return false
    return at > (gt ?? -1) && at >= (gte ?? 0) && at < (lt ?? Infinity) && at <= (lte ?? Infinity)
  })
  const [after, before] = [query.text('starting_after'), query.text('ending_before')]
  if (before !== undefined) {
    const end = placeOf(matches, before, 'ending_before')
    const data = matches.slice(Math.max(0, end - limit), end)
    return { object: 'list', url, has_more: end > limit, data }
  }
  const start = after === undefined ? 0 : placeOf(matches, after, 'starting_after') + 1
  return { object: 'list', url, has_more: matches.length > start + limit, data: matches.slice(start, start + limit) }
}

function placeOf(all: readonly Listed[], id: string, param: string): number {
  const found = all.findIndex((one) => one.id === id)
  if (found === -1) throw noSuch('object', id, param)
  return found
}

export const wholeList = <T>(url: string, data: T[]): ListBody<T> => ({ object: 'list', url, has_more: false, data })
