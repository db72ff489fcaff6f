import { unexpected } from './faults.ts'
import type { Reader } from './form.ts'

interface Clause {
  readonly field: string
  readonly operator: ':' | '~' | '>' | '<' | '>=' | '<='
  readonly value: string
  readonly isNegated: boolean
}

const CLAUSE =
  /^(-)?([a-z_.]+(?:\[(?:"[^"]*"|'[^']*')\])?)\s*(:|~|>=|<=|>|<)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|-?\d+)$/

/** Stripe's query language: `status:"succeeded" AND metadata["order_id"]:"ord_1"`. */
export function search<T extends object>(url: string, all: readonly T[], params: Reader) {
  const query = params.need('query')
  const joiner = /\sOR\s/.test(query) ? 'OR' : 'AND'
  const clauses = query.split(new RegExp(`\\s+${joiner}\\s+`)).map((text) => parse(text.trim()))
  const found = all.filter((one) =>
    joiner === 'OR' ? clauses.some((clause) => matches(one, clause)) : clauses.every((clause) => matches(one, clause)),
  )
  const limit = Math.min(Math.max(params.integer('limit') ?? 10, 1), 100)
  const start = Number(params.text('page') ?? 0)
  const hasMore = found.length > start + limit
  return {
    object: 'search_result',
    url,
    has_more: hasMore,
    next_page: hasMore ? String(start + limit) : null,
    data: found.slice(start, start + limit),
  }
}

function parse(text: string): Clause {
  const found = CLAUSE.exec(text)
  if (found === null) {
    throw unexpected('', `We were unable to parse your search query. Try using the format \`metadata["key"]:"value"\`.`)
  }
  const [, minus, field = '', operator, value = ''] = found
  return { field, operator: operator as Clause['operator'], value: unquoted(value), isNegated: minus === '-' }
}

const unquoted = (text: string) => (/^["']/.test(text) ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text)

function matches(object: object, { field, operator, value, isNegated }: Clause): boolean {
  const named = /^([a-z_]+)\[(.*)\]$/.exec(field)
  const path = named === null ? field.split('.') : [named[1] ?? '', unquoted(named[2] ?? '')]
  const actual = path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined),
    object,
  )
  return compare(actual, operator, value) !== isNegated
}

function compare(actual: unknown, operator: Clause['operator'], value: string): boolean {
  if (actual === undefined || actual === null) return false
  const text = typeof actual === 'string' ? actual : JSON.stringify(actual)
  switch (operator) {
    case ':':
      return text.toLowerCase() === value.toLowerCase()
    case '~':
      return text.toLowerCase().includes(value.toLowerCase())
    case '>':
      return Number(text) > Number(value)
    case '<':
      return Number(text) < Number(value)
    case '>=':
      return Number(text) >= Number(value)
    case '<=':
      return Number(text) <= Number(value)
  }
}
