import type { ClockChange } from '../kernel/steady-clock.ts'
import { DUE_COLUMNS, type DueColumn } from './due-columns.ts'
import { momentsOf, type Moments } from './due-times.ts'
import { FACT_TABLES } from './fact-tables.ts'
import type { FactValue } from './facts-as-tables.ts'

/** The last fact of a row that was read so far. */
export interface LatestFact {
  readonly row: FactValue[]
  readonly isGone: boolean
}

/** By the values of its key. */
export type LatestFacts = Map<string, LatestFact>

export const rowKeyOf = (table: string, row: readonly FactValue[]): string =>
  JSON.stringify(row.slice(0, FACT_TABLES[table]?.key.length))

/** Moves the times of facts as `due-times.ts` moved those of their rows when the clock was set. */
export function moveFacts(tables: ReadonlyMap<string, LatestFacts>, change: ClockChange): void {
  const moments = momentsOf(change)
  for (const [table, facts] of tables) {
    moveTimes(table, facts, moments)
    if (isCounts(DUE_COLUMNS[table]?.['quarter'])) moveCounts(table, facts, moments)
  }
}

function moveTimes(table: string, facts: LatestFacts, { by, after, recent }: Moments): void {
  const { key = [], columns = [], moves = {} } = FACT_TABLES[table] ?? {}
  for (const [column, kind] of Object.entries(moves)) {
    const [at, passedMs] = [[...key, ...columns].indexOf(column), kind === 'deadline' ? after : recent]
    for (const { row } of facts.values()) {
      const timeMs = row[at]
      if (typeof timeMs === 'number' && timeMs > passedMs) row[at] = timeMs + by
    }
  }
}

const isCounts = (due: DueColumn | readonly DueColumn[] | undefined): boolean =>
  typeof due === 'object' && 'kind' in due && due.kind === 'counts'

/** The quarter of an hour is part of the key. */
function moveCounts(table: string, facts: LatestFacts, { quarters, recentQuarter }: Moments): void {
  const { key = [] } = FACT_TABLES[table] ?? {}
  const at = key.indexOf('quarter')
  const moved = [...facts].filter(([, { row }]) => Number(row[at]) > recentQuarter)
  for (const [id] of moved) facts.delete(id)
  for (const [, { row, isGone }] of moved) {
    const next = row.with(at, Number(row[at]) + quarters)
    const there = facts.get(rowKeyOf(table, next))?.row
    const sum = next.map((value, i) =>
      there === undefined || i < key.length ? value : Number(value) + Number(there[i]),
    )
    facts.set(rowKeyOf(table, next), { row: sum, isGone })
  }
}
