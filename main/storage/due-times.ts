import type { Database } from 'better-sqlite3'
import type { Tx } from '../kernel/db.ts'
import { CLOCK_MOVED } from '../kernel/meta.ts'
import type { Statement } from '../kernel/sql.ts'
import { CLOCK_SLACK_MS, type ClockChange } from '../kernel/steady-clock.ts'
import { DUE_COLUMNS, type DueColumn } from './due-columns.ts'
import { createStatements } from './statements.ts'

const DAY_MS = 86_400_000
const QUARTER_MS = 900_000

/** The times that the rules of `due-columns.ts` compare with. */
export type Moments = Readonly<
  Record<'by' | 'from' | 'to' | 'came' | 'after' | 'recent' | 'quarters' | 'recentQuarter', number>
>
type Params = Moments

interface CountsRow {
  readonly instanceId: string
  readonly quarter: number
  readonly sent: number
  readonly firstContacts: number
  readonly opened: number
  readonly spamLimited: number
  readonly withheld: number
}

/**
 * Not declared with `sql`, which would prepare the statements at every start, although they are needed only when the
 * clock is set.
 */
const statement = <P extends object = Params, R extends object = object>(text: string): Statement<P, R> => ({ text })

/** In the order in which they run. */
export const MOVES: readonly Statement<Params>[] = [
  ...updatesOf('moves', (column, where) => `SET ${column} = ${column} + :by WHERE ${where}`),
  ...updatesOf('offset', (column) => `SET ${column} = ${column} - :by`),
  // What was due before the clock was set back stays due.
  ...updatesOf(
    'appointment',
    (column, where) => `SET ${column} = :to WHERE ${column} > :to AND ${column} <= :came AND ${where}`,
  ),
  ...updatesOf('hours', (column, where) => `SET ${column} = :to WHERE ${where}`),
  statement(`UPDATE safety_firsts SET quarter = quarter + :quarters WHERE quarter > :recentQuarter`),
  statement('DELETE FROM safety_minutes'),
  statement(
    `INSERT INTO safety_minutes (portfolio, minute, people)
     SELECT l.portfolio, l.last_at / 60000, COUNT(*)
       FROM (SELECT portfolio, person, MAX(reached_at) AS last_at FROM safety_reached GROUP BY portfolio, person) AS l
      GROUP BY l.portfolio, l.last_at / 60000`,
  ),
  statement(
    `UPDATE job_lanes SET next_at = (
       SELECT CASE WHEN j.run_at < :to THEN :to ELSE j.run_at END FROM jobs j WHERE j.kind = job_lanes.kind AND j.subject_id = job_lanes.subject_id
         AND j.lane = job_lanes.lane AND j.state = 'waiting' ORDER BY j.run_at LIMIT 1)
     WHERE next_at IS NOT NULL`,
  ),
]

const takeCounts = statement<Params, CountsRow>(
  `DELETE FROM safety_counts WHERE quarter > :recentQuarter
   RETURNING instance_id AS instanceId, quarter, sent, first_contacts AS firstContacts, opened, spam_limited AS spamLimited,
     withheld`,
)
const addCounts = statement<CountsRow>(
  `INSERT INTO safety_counts (instance_id, quarter, sent, first_contacts, opened, spam_limited, withheld)
   VALUES (:instanceId, :quarter, :sent, :firstContacts, :opened, :spamLimited, :withheld)
   ON CONFLICT (instance_id, quarter) DO UPDATE SET sent = safety_counts.sent + excluded.sent,
     first_contacts = safety_counts.first_contacts + excluded.first_contacts, opened = safety_counts.opened + excluded.opened,
     spam_limited = safety_counts.spam_limited + excluded.spam_limited, withheld = safety_counts.withheld + excluded.withheld`,
)

/**
 * Moves every stored due time by as much as the clock was set, so each wait keeps its length. One commit, so that
 * after a crash either everything is moved or nothing.
 */
export async function moveDueTimes(tx: Tx, change: ClockChange): Promise<void> {
  const params = momentsOf(change)
  for (const move of MOVES) await tx.run(move, params)
  for (const row of await tx.all(takeCounts, params)) await tx.run(addCounts, movedCounts(row, params))
}

/**
 * The same in a database without a service, if the clock was set back since a service used it. Two databases can be
 * compared and merged only if their due times follow the same clock.
 */
export function catchUpWithClock(connection: Database, nowMs: number): void {
  const lastSeenMs = lastSeenIn(connection)
  if (lastSeenMs === null || nowMs - lastSeenMs >= -CLOCK_SLACK_MS) return
  connection.transaction(() => {
    moveAll(connection, { byMs: nowMs - lastSeenMs, fromMs: lastSeenMs })
    connection.prepare('UPDATE main.nodes SET seen_at = ? WHERE seen_at > ?').run(nowMs, nowMs)
  })()
}

/** The same in a copy, for clock changes after the copy was made, according to the database attached as `present`. */
export function catchUpWithPresent(copy: Database): void {
  const movedIn = (schema: 'main' | 'present') =>
    copy.prepare(`SELECT value FROM ${schema}.meta WHERE name = '${CLOCK_MOVED}'`).pluck().get()
  const movedMs = movedIn('present')
  if (movedMs === undefined) return
  const byMs = Number(movedMs) - Number(movedIn('main') ?? 0)
  const lastSeenMs = lastSeenIn(copy)
  copy.transaction(() => {
    copy.prepare('INSERT OR REPLACE INTO main.meta (name, value) VALUES (?, ?)').run(CLOCK_MOVED, movedMs)
    if (lastSeenMs === null || byMs === 0) return
    moveAll(copy, { byMs, fromMs: lastSeenMs })
    copy.prepare('UPDATE main.nodes SET seen_at = seen_at + ?').run(byMs)
  })()
}

function lastSeenIn(connection: Database): number | null {
  const found = connection.prepare('SELECT MAX(seen_at) FROM main.nodes').pluck().get()
  return typeof found === 'number' ? found : null
}

function moveAll(connection: Database, change: ClockChange): void {
  const params = momentsOf(change)
  const prepare = createStatements(connection)
  for (const move of MOVES) prepare(move).run(params)
  for (const row of prepare(takeCounts).all(params)) prepare(addCounts).run(movedCounts(row as CountsRow, params))
}

export function momentsOf({ byMs: by, fromMs: from, aheadMs = 0 }: ClockChange): Moments {
  const to = from + by
  const came = from - Math.min(aheadMs, Math.max(0, -by))
  const after = Math.min(from, to)
  const recent = after - DAY_MS
  const quarters = Math.round(by / QUARTER_MS)
  return { by, from, to, came, after, recent, quarters, recentQuarter: Math.floor(recent / QUARTER_MS) }
}

const movedCounts = (row: CountsRow, { quarters }: Params): CountsRow => ({ ...row, quarter: row.quarter + quarters })

type Kind = Exclude<DueColumn, string>['kind']

function updatesOf(kind: Kind, setOf: (column: string, where: string) => string): Statement<Params>[] {
  return Object.entries(DUE_COLUMNS).flatMap(([table, columns]) =>
    Object.entries(columns).flatMap(([column, due]) =>
      [due].flat().flatMap((one) => {
        if (typeof one === 'string' || one.kind !== kind) return []
        return statement(`UPDATE ${table} ${setOf(column, 'where' in one ? one.where : '')}`)
      }),
    ),
  )
}
