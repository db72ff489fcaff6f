import type { Due } from '../../kernel/due.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { EngineSignal } from '../engine.ts'

/** A future event of an instance. */
export interface Entry {
  readonly instanceId: InstanceId
  /** Entries of one lane are delivered in order. */
  readonly lane: string
  /** Order among entries that are due at the same time: the connection first, then sent, delivered, read. */
  readonly step: number
  /** null: not before the phone is online. */
  readonly due: Due | null
  /** The phone that must be online first. */
  readonly phone: number | null
  /** Delay after the phone comes online. */
  readonly offsetMs: number
  readonly signal: EngineSignal
  /** The network drops it at this time if the phone has not come online. */
  readonly expiresAtMs?: number | null
}

/** The step of connection signals, which do not wait for the connection. */
export const LINK = -1

export interface DueEntry {
  readonly seq: number
  readonly instanceId: InstanceId
  readonly lane: string
  readonly step: number
  readonly dueAtMs: number
  readonly signal: string
}

interface Id {
  instanceId: string
}

/**
 * Whether it must wait for the connection is decided inside the commit, where the state of the connection is certain.
 */
export const add = sql<
  Id & {
    seq: number
    lane: string
    step: number
    /** 1: not before the instance is connected. */
    waits: 0 | 1
    dueAt: number | null
    phone: number | null
    offset: number
    signal: string
    expiresAt: number | null
  }
>(
  `INSERT INTO sandbox_timeline (seq, instance_id, lane, step, due_at, held, phone, offset_ms, signal, expires_at)
   SELECT :seq, instance_id, :lane, :step, :dueAt, CASE WHEN up = 1 THEN 0 ELSE :waits END, :phone, :offset, :signal,
     :expiresAt
   FROM sandbox_lines WHERE instance_id = :instanceId`,
)

export const due = sql<{ now: number; limit: number }, DueEntry>(
  `SELECT seq, instance_id AS instanceId, lane, step, due_at AS dueAtMs, signal FROM sandbox_timeline
   WHERE held = 0 AND due_at IS NOT NULL AND due_at <= :now ORDER BY due_at, step, seq LIMIT :limit`,
)
export const next = sql<{ now: number }, { dueAtMs: number }>(
  `SELECT due_at AS dueAtMs FROM sandbox_timeline
   WHERE held = 0 AND due_at IS NOT NULL AND due_at > :now ORDER BY due_at LIMIT 1`,
)
export const remove = sql<{ seq: number }>('DELETE FROM sandbox_timeline WHERE seq = :seq')

export const hold = sql<Id>('UPDATE sandbox_timeline SET held = 1 WHERE instance_id = :instanceId AND step >= 0')
/** Waiting entries become due now and keep their order. */
export const release = sql<Id & { now: number }>(
  `UPDATE sandbox_timeline SET held = 0, due_at = CASE WHEN due_at < :now THEN :now ELSE due_at END
   WHERE instance_id = :instanceId AND held = 1`,
)
export const forget = sql<Id>('DELETE FROM sandbox_timeline WHERE instance_id = :instanceId')
/** Deletes the entries of a lane after its first step. */
export const forgetLater = sql<Id & { lane: string }>(
  'DELETE FROM sandbox_timeline WHERE instance_id = :instanceId AND lane = :lane AND step > 0',
)
export const forgetLink = sql<Id>('DELETE FROM sandbox_timeline WHERE instance_id = :instanceId AND step < 0')

export const phoneOffline = sql<{ phone: number }>('UPDATE sandbox_timeline SET due_at = NULL WHERE phone = :phone')
export const phoneOnline = sql<{ phone: number; from: number }>(
  'UPDATE sandbox_timeline SET due_at = :from + offset_ms WHERE phone = :phone AND due_at IS NULL',
)
export const phoneExpired = sql<{ phone: number; now: number }>(
  'DELETE FROM sandbox_timeline WHERE phone = :phone AND due_at IS NULL AND expires_at <= :now',
)
export const phoneSilent = sql<{ phone: number; step: number }>(
  'DELETE FROM sandbox_timeline WHERE phone = :phone AND step >= :step',
)
