import type { Database } from 'better-sqlite3'
import { catchUpWithClock, catchUpWithPresent } from './due-times.ts'
import { defineMarks, FACT_TABLES } from './fact-tables.ts'
import {
  attachFacts,
  factsBeyond,
  FROM_FACTS,
  FROM_FACTS_BEYOND,
  FROM_FACTS_LAST,
  SENT_BEYOND,
  type Facts,
  type FactValue,
} from './facts-as-tables.ts'
import { HELD, NOBODY_CALLED, NOBODY_TWICE, PAUSE_CAMPAIGNS } from './held-work.ts'
import { KEPT, SETTINGS_OF_NEW_OWNERS } from './kept-rows.ts'
import { LEFT_INSTANCES } from './left-instances.ts'
import { rowKeyOf } from './moved-facts.ts'
import { ACCOUNTS, EVERY_ACCOUNT, STRICTEST } from './strictest-rows.ts'

/** Where a restore finds the state that must not be undone. */
export type PresentState =
  /**
   * The intact database from before the restore, with the same schema. The facts know what earlier restores removed
   * from it.
   */
  | { readonly kind: 'database'; readonly file: string; readonly facts: Facts }
  /**
   * The database cannot be read. `madeAtMs` is the time of the backup; null: there is none, and the copy is a new
   * database.
   */
  | { readonly kind: 'facts'; readonly facts: Facts; readonly madeAtMs: number | null }

/** Applies the rules of `table-rules.ts` to the copy. */
export function carryOver(copy: Database, present: PresentState, nowMs: number): void {
  // Rows replace others that are referenced; at the end, all references are valid.
  copy.pragma('foreign_keys = OFF')
  defineMarks(copy)
  if (present.kind === 'database') copy.prepare('ATTACH DATABASE ? AS present').run(present.file)
  else attachFacts(copy, present.facts)
  // First, because the rows that are carried over use today's clock.
  catchUpWithPresent(copy)
  catchUpWithClock(copy, nowMs)
  const run = (sql: string) => void copy.prepare(sql).run(sql.includes(':now') ? { now: nowMs } : {})
  let beyond: Facts | undefined
  try {
    if (present.kind === 'database') beyond = factsBeyond(copy, present.facts)
    copy.transaction(() => {
      if (present.kind === 'database') {
        GONE.forEach(run)
        forgetRemovalsByRestores(copy, present.facts)
      } else CAMPAIGNS_OF_FACTS.forEach(run)
      if (present.kind === 'facts' && present.madeAtMs === null) run(EVERY_ACCOUNT)
      ACCOUNTS.forEach(run)
      if (present.kind === 'database') KEPT.forEach(run)
      else FROM_FACTS.forEach(run)
      STRICTEST.forEach(run)
      if (present.kind === 'facts') FROM_FACTS_LAST.forEach(run)
      LEFT_INSTANCES.forEach(run)
      if (present.kind === 'database') SETTINGS_OF_NEW_OWNERS.forEach(run)
      PAUSE_CAMPAIGNS.forEach(run)
      if (present.kind === 'facts' && present.facts.sinceMs > (present.madeAtMs ?? 0))
        [NOBODY_TWICE, NOBODY_CALLED].forEach(run)
      if (beyond === undefined) HELD.forEach(run)
    })()
  } finally {
    copy.exec('DETACH DATABASE present')
  }
  if (beyond !== undefined) carryOverBeyond(copy, beyond, run)
}

/**
 * Applies changes from before an earlier restore to rows that this backup contains again and the database no longer
 * had.
 */
function carryOverBeyond(copy: Database, facts: Facts, run: (sql: string) => void): void {
  attachFacts(copy, facts)
  try {
    copy.transaction(() => {
      run(SENT_BEYOND)
      const first = [ACCOUNTS, FROM_FACTS_BEYOND, STRICTEST, FROM_FACTS_LAST]
      for (const statements of [...first, LEFT_INSTANCES, PAUSE_CAMPAIGNS, HELD]) statements.forEach(run)
    })()
  } finally {
    copy.exec('DETACH DATABASE present')
  }
}

/** If the facts still have a row that an earlier restore removed, nobody else removed it, so it returns. */
function forgetRemovalsByRestores(copy: Database, { tables }: Facts): void {
  for (const [table, { key, isRemovalKept }] of Object.entries(FACT_TABLES)) {
    const there = new Set(tables.get(table)?.rows.map((row) => rowKeyOf(table, row)))
    if (isRemovalKept !== true || there.size === 0) continue
    const gone = copy
      .prepare(`SELECT ${key.join(', ')} FROM temp.gone_${table}`)
      .raw()
      .all() as FactValue[][]
    const forget = copy.prepare(
      `DELETE FROM temp.gone_${table} WHERE ${key.map((name) => `${name} = ?`).join(' AND ')}`,
    )
    for (const row of gone) if (there.has(rowKeyOf(table, row))) forget.run(row)
  }
}

/** Keys of rows that are in the backup and missing from the present database: they were removed since. */
const GONE = Object.entries(FACT_TABLES).flatMap(([table, { key, isRemovalKept }]) => {
  if (isRemovalKept !== true) return []
  const columns = key.join(', ')
  return [
    `CREATE TEMP TABLE gone_${table} AS SELECT ${columns} FROM main.${table}
      WHERE (${columns}) NOT IN (SELECT ${columns} FROM present.${table})`,
  ]
})

/** Facts contain the recipients to whom a campaign wrote, and nothing else that is new. */
const CAMPAIGNS_OF_FACTS = [
  "CREATE TEMP TABLE was_scheduled AS SELECT id, scheduled_at FROM main.campaigns WHERE status = 'scheduled'",
  `CREATE TEMP TABLE has_sent AS SELECT DISTINCT p.campaign_id AS id FROM present.campaign_recipients p
    JOIN main.campaign_recipients r ON r.campaign_id = p.campaign_id AND r.position = p.position
    WHERE p.claimed_at IS NOT NULL AND r.claimed_at IS NOT p.claimed_at`,
]
