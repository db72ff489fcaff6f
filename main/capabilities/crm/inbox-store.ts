import { sql } from '../../kernel/sql.ts'
import { PAUSED } from './outbox-store.ts'

export interface InboxRow {
  readonly seq: number
  readonly externalId: string
  readonly linkSeq: number
  /** Canonical form; empty if the contact has no number. */
  readonly number: string
  /** JSON: Written. */
  readonly payload: string
  /** How many of its parts are sent. */
  readonly part: number
  readonly tries: number
  readonly holdUntilMs: number
  readonly receivedAtMs: number
}

const ROW = `seq, external_id AS externalId, link_seq AS linkSeq, number, payload, part, tries,
  hold_until AS holdUntilMs, received_at AS receivedAtMs`

/** Changes nothing if the CRM has posted it before. */
export const insertWritten = sql<{
  seq: number
  scope: string
  externalId: string
  linkSeq: number
  number: string
  payload: string
  holdUntilMs: number
  now: number
}>(
  `INSERT INTO crm_inbox (seq, scope, external_id, link_seq, number, payload, part, tries, hold_until, state, received_at)
   VALUES (:seq, :scope, :externalId, :linkSeq, :number, :payload, 0, 0, :holdUntilMs, 'waiting', :now)
   ON CONFLICT DO NOTHING`,
)
export const isWaiting = sql<{ scope: string; externalId: string }, { seq: number }>(
  `SELECT seq FROM crm_inbox WHERE scope = :scope AND external_id = :externalId AND state = 'waiting'`,
)
export const firstWritten = sql<{ linkSeq: number; now: number; limit: number }, { number: string }>(
  `SELECT number FROM crm_inbox
   WHERE link_seq = :linkSeq AND state = 'waiting' AND hold_until + 0 <= :now ORDER BY seq LIMIT :limit`,
)
export const writtenTo = sql<{ linkSeq: number; number: string; limit: number }, InboxRow>(
  `SELECT ${ROW} FROM crm_inbox
   WHERE link_seq = :linkSeq AND number = :number AND state = 'waiting' ORDER BY seq LIMIT :limit`,
)
export const nextWrittenHold = sql<{ linkSeq: number }, { holdUntilMs: number | null }>(
  `SELECT min(hold_until) AS holdUntilMs FROM crm_inbox WHERE link_seq = :linkSeq AND state = 'waiting'`,
)
export const setPart = sql<{ seq: number; part: number }>('UPDATE crm_inbox SET part = :part WHERE seq = :seq')
export const endWritten = sql<{ seq: number; state: 'done' | 'failed'; now: number }>(
  `UPDATE crm_inbox SET state = :state, ended_at = :now WHERE seq = :seq AND state = 'waiting'`,
)
export const countWrittenTry = sql<{ seq: number }>('UPDATE crm_inbox SET tries = tries + 1 WHERE seq = :seq')
/** Holds the first message of a contact, and with it all later ones. */
export const holdWrittenTo = sql<{ linkSeq: number; number: string; holdUntilMs: number }>(
  `UPDATE crm_inbox SET hold_until = :holdUntilMs
   WHERE link_seq = :linkSeq AND number = :number AND state = 'waiting' AND hold_until < ${PAUSED}`,
)
export const holdAllWritten = sql<{ linkSeq: number; from: number; to: number }>(
  `UPDATE crm_inbox SET hold_until = :to WHERE link_seq = :linkSeq AND state = 'waiting' AND hold_until >= :from`,
)
/** The instance is connected again: releases messages that waited for this. */
export const releaseWritten = sql<{ linkSeq: number }>(
  `UPDATE crm_inbox SET hold_until = 0 WHERE link_seq = :linkSeq AND state = 'waiting' AND hold_until < ${PAUSED}`,
)
export const writtenGauge = sql<{ linkSeq: number }, { waiting: number; oldestAtMs: number | null }>(
  `SELECT count(*) AS waiting, min(received_at) AS oldestAtMs FROM crm_inbox
   WHERE link_seq = :linkSeq AND state = 'waiting'`,
)
export const pruneWritten = sql<{ before: number; limit: number }>(
  `DELETE FROM crm_inbox WHERE seq IN (
     SELECT seq FROM crm_inbox WHERE ended_at IS NOT NULL AND ended_at < :before ORDER BY ended_at LIMIT :limit)`,
)

export const writtenAfter = sql<{ after: number; rows: number }, Pick<InboxRow, 'seq' | 'number'>>(
  'SELECT seq, number FROM crm_inbox WHERE seq > :after ORDER BY seq LIMIT :rows',
)
export const setWrittenNumber = sql<Pick<InboxRow, 'seq' | 'number'>>(
  'UPDATE crm_inbox SET number = :number WHERE seq = :seq',
)
export const moveWritten = sql<{ linkSeq: number; from: string; to: string }>(
  `UPDATE crm_inbox SET number = :to WHERE link_seq = :linkSeq AND number = :from AND state = 'waiting'`,
)
