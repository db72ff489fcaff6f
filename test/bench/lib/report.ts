import { markdownTable } from './table.ts'

/** A goal that the product must meet. */
export interface Goal {
  /** What was measured and what is wanted: `deliveries at 64 in flight: at least 0.7 of the reference pipeline`. */
  readonly wanted: string
  readonly measured: string
  readonly isMet: boolean
}

/** The results of a program. */
export interface Report {
  readonly title: string
  readonly rows: readonly Record<string, string | number>[]
  readonly goals?: readonly Goal[]
  /** Notes that a reader of the table needs. */
  readonly notes?: readonly string[]
}

type Bound = 'at least' | 'at most' | 'below'

const HOLDS: Readonly<Record<Bound, (value: number, limit: number) => boolean>> = {
  'at least': (value, limit) => value >= limit,
  'at most': (value, limit) => value <= limit,
  below: (value, limit) => value < limit,
}

/** @param measured a value that could not be measured (NaN) meets no goal. */
export function goal(what: string, measured: number, bound: Bound, limit: number, unit = ''): Goal {
  const unitOf = unit === '' ? '' : ` ${unit}`
  return {
    wanted: `${what}: ${bound} ${limit}${unitOf}`,
    measured: Number.isFinite(measured) ? `${Number(measured.toPrecision(3))}${unitOf}` : 'not measured',
    isMet: HOLDS[bound](measured, limit),
  }
}

export function show({ title, rows, goals = [], notes = [] }: Report): string {
  const lines = [markdownTable(title, rows)]
  if (goals.length > 0) lines.push('', ...goals.map(goalLine))
  if (notes.length > 0) lines.push('', ...notes)
  return lines.join('\n')
}

const goalLine = ({ wanted, measured, isMet }: Goal) => `- ${isMet ? 'met' : 'MISSED'}: ${wanted} (${measured})`
