import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export type CheckState = 'running' | 'paused' | 'completed' | 'canceled' | 'failed'
export type WaitReason = 'not_connected' | 'restricted' | 'daily_limit'
export type EndReason = 'completed' | 'canceled' | 'signed_out' | 'number_changed' | 'engine_failed'

export interface CheckRow {
  readonly seq: number
  readonly id: string
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  readonly state: CheckState
  readonly total: number
  readonly asked: number
  readonly found: number
  readonly waitReason: WaitReason | null
  readonly waitsUntilMs: number | null
  readonly endedReason: EndReason | null
  readonly createdAtMs: number
  readonly endedAtMs: number | null
}

export interface NumberRow {
  readonly position: number
  readonly number: string
  readonly canonical: string | null
  readonly askedAtMs: number | null
}

const COLUMNS = `seq, id, account_id AS accountId, instance_id AS instanceId, state, total, asked, found,
  wait_reason AS waitReason, waits_until AS waitsUntilMs, ended_reason AS endedReason, created_at AS createdAtMs,
  ended_at AS endedAtMs`

export const checkNamed = sql<{ id: string }, CheckRow>(`SELECT ${COLUMNS} FROM number_checks WHERE id = :id`)
export const checksOf = sql<{ instanceId: string; before: number; limit: number }, CheckRow>(
  `SELECT ${COLUMNS} FROM number_checks WHERE instance_id = :instanceId AND seq < :before ORDER BY seq DESC LIMIT :limit`,
)
export const openCheckOf = sql<{ instanceId: string }, CheckRow>(
  `SELECT ${COLUMNS} FROM number_checks WHERE instance_id = :instanceId AND ended_at IS NULL ORDER BY seq DESC LIMIT 1`,
)
export const insertCheck = sql<{
  seq: number
  id: string
  accountId: string
  instanceId: string
  total: number
  now: number
}>(
  `INSERT INTO number_checks (seq, id, account_id, instance_id, state, total, asked, found, created_at)
   VALUES (:seq, :id, :accountId, :instanceId, 'running', :total, 0, 0, :now)`,
)
export const setState = sql<{ seq: number; state: 'running' | 'paused' }>(
  `UPDATE number_checks SET state = :state, wait_reason = NULL, waits_until = NULL
   WHERE seq = :seq AND state IN ('running', 'paused')`,
)
/** The end of a check is final. */
export const endCheck = sql<{ seq: number; state: CheckState; reason: EndReason; now: number }>(
  `UPDATE number_checks SET state = :state, ended_reason = :reason, ended_at = :now, wait_reason = NULL, waits_until = NULL
   WHERE seq = :seq AND state IN ('running', 'paused')`,
)
export const setWait = sql<{ seq: number; reason: WaitReason | null; untilMs: number | null }>(
  'UPDATE number_checks SET wait_reason = :reason, waits_until = :untilMs WHERE seq = :seq',
)
export const countAnswers = sql<{ seq: number; asked: number; found: number }>(
  `UPDATE number_checks SET asked = asked + :asked, found = found + :found, wait_reason = NULL, waits_until = NULL
   WHERE seq = :seq`,
)
export const removeChecksOf = sql<{ instanceId: string }>('DELETE FROM number_checks WHERE instance_id = :instanceId')
export const pruneChecks = sql<{ before: number; limit: number }>(
  `DELETE FROM number_checks WHERE seq IN (
     SELECT seq FROM number_checks WHERE ended_at IS NOT NULL AND ended_at < :before ORDER BY ended_at LIMIT :limit)`,
)

export const insertNumber = sql<{ seq: number; position: number; number: string }>(
  'INSERT INTO number_check_numbers (check_seq, position, number) VALUES (:seq, :position, :number)',
)
export const nextNumbers = sql<{ seq: number; limit: number }, { position: number; number: string }>(
  `SELECT position, number FROM number_check_numbers WHERE check_seq = :seq AND asked_at IS NULL
   ORDER BY position LIMIT :limit`,
)
/** An answered number keeps its answer. */
export const saveAnswer = sql<{ seq: number; position: number; canonical: string | null; now: number }>(
  `UPDATE number_check_numbers SET canonical = :canonical, asked_at = :now
   WHERE check_seq = :seq AND position = :position AND asked_at IS NULL`,
)
export const numbersOf = sql<{ seq: number; after: number; limit: number }, NumberRow>(
  `SELECT position, number, canonical, asked_at AS askedAtMs FROM number_check_numbers
   WHERE check_seq = :seq AND position > :after ORDER BY position LIMIT :limit`,
)

export const insertPortion = sql<{ seq: number; instanceId: string; asked: number; now: number }>(
  'INSERT INTO number_check_portions (seq, instance_id, asked, asked_at) VALUES (:seq, :instanceId, :asked, :now)',
)
export const askedSince = sql<{ instanceId: string; since: number }, { asked: number; firstAtMs: number | null }>(
  `SELECT COALESCE(SUM(asked), 0) AS asked, MIN(asked_at) AS firstAtMs FROM number_check_portions
   WHERE instance_id = :instanceId AND asked_at > :since`,
)
export const prunePortions = sql<{ before: number; limit: number }>(
  `DELETE FROM number_check_portions WHERE seq IN (
     SELECT seq FROM number_check_portions WHERE asked_at < :before ORDER BY asked_at LIMIT :limit)`,
)
