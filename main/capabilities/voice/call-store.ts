import type {
  CallDirection,
  CallSource,
  CallStatus,
  CallTransfer,
  EndReason,
  Gateway,
  TranscriptLine,
  TransferFailure,
} from '../../contract/voice.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql, type Statement } from '../../kernel/sql.ts'

export interface StoredCall {
  readonly seq: number
  readonly id: string
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  readonly agentId: string | null
  readonly toNumber: string | null
  readonly fromNumber: string | null
  readonly direction: CallDirection
  readonly source: CallSource
  readonly gateway: Gateway
  readonly status: CallStatus
  readonly endReason: EndReason | null
  readonly attempt: number
  readonly batchId: string | null
  /** Minimum time between the starts of two calls of the batch. */
  readonly batchIntervalMs: number | null
  readonly widgetId: string | null
  readonly recordingId: string | null
  readonly summary: string | null
  readonly summaryBy: 'model' | 'extract' | null
  /** JSON: an array of sentences. */
  readonly coaching: string | null
  readonly scheduledAtMs: number
  readonly startedAtMs: number | null
  readonly answeredAtMs: number | null
  readonly endedAtMs: number | null
  readonly durationMs: number | null
  /** Since when the person is on hold; null: not on hold. */
  readonly heldAtMs: number | null
  readonly transferTo: string | null
  readonly transferStatus: CallTransfer['status'] | null
  readonly transferFailure: TransferFailure | null
  readonly transferAtMs: number | null
  readonly createdAtMs: number
}

const COLUMNS = `seq, id, account_id AS accountId, instance_id AS instanceId, agent_id AS agentId, to_number AS toNumber,
  from_number AS fromNumber, direction, source, gateway, status, end_reason AS endReason, attempt, batch_id AS batchId,
  batch_interval_ms AS batchIntervalMs, widget_id AS widgetId, recording_id AS recordingId, summary, summary_by AS summaryBy, coaching,
  scheduled_at AS scheduledAtMs, started_at AS startedAtMs, answered_at AS answeredAtMs, ended_at AS endedAtMs,
  duration_ms AS durationMs, held_at AS heldAtMs, transfer_to AS transferTo, transfer_status AS transferStatus,
  transfer_failure AS transferFailure, transfer_at AS transferAtMs, created_at AS createdAtMs`

const LIVE = `status IN ('dialing', 'ringing', 'in_progress')`

type Id = { id: string }

export const insertCall = sql<
  Pick<
    StoredCall,
    | ('seq' | 'id' | 'accountId' | 'instanceId' | 'agentId' | 'toNumber' | 'fromNumber' | 'direction' | 'source')
    | (
        | 'gateway'
        | 'status'
        | 'batchId'
        | 'batchIntervalMs'
        | 'widgetId'
        | 'scheduledAtMs'
        | 'startedAtMs'
        | 'createdAtMs'
        | 'attempt'
      )
  > & { boot: string | null }
>(
  `INSERT INTO voice_calls (seq, id, account_id, instance_id, agent_id, to_number, from_number, direction, source, gateway,
     status, attempt, boot, batch_id, batch_interval_ms, widget_id, scheduled_at, started_at, created_at)
   VALUES (:seq, :id, :accountId, :instanceId, :agentId, :toNumber, :fromNumber, :direction, :source, :gateway, :status,
     :attempt, :boot, :batchId, :batchIntervalMs, :widgetId, :scheduledAtMs, :startedAtMs, :createdAtMs)`,
)

export const callById = sql<Id, StoredCall>(`SELECT ${COLUMNS} FROM voice_calls WHERE id = :id`)

// Each transition requires its starting state, so that two of them cannot both happen.

export const setDialing = sql<Id & { boot: string; gateway: Gateway; fromNumber: string | null; now: number }>(
  `UPDATE voice_calls SET status = 'dialing', attempt = 1, boot = :boot, gateway = :gateway, from_number = :fromNumber,
     started_at = :now WHERE id = :id AND status = 'scheduled'`,
)
export const setRinging = sql<Id>(`UPDATE voice_calls SET status = 'ringing' WHERE id = :id AND status = 'dialing'`)
export const setAnswered = sql<Id & { now: number }>(
  `UPDATE voice_calls SET status = 'in_progress', answered_at = :now WHERE id = :id AND status IN ('dialing', 'ringing')`,
)
type End = Id & { status: CallStatus; reason: EndReason; now: number }
export type LiveEnd = End & { recordingId: string | null; durationMs: number | null }
export const endLive = sql<LiveEnd>(
  `UPDATE voice_calls SET status = :status, end_reason = :reason, ended_at = :now, recording_id = :recordingId,
     duration_ms = :durationMs, held_at = NULL,
     transfer_status = CASE WHEN transfer_status <> 'pending' THEN transfer_status
       WHEN :reason = 'transferred' THEN 'completed' WHEN transfer_status = 'pending' THEN 'unknown' END
   WHERE id = :id AND ${LIVE}`,
)
export const setHeld = sql<Id & { heldAtMs: number | null }>(
  `UPDATE voice_calls SET held_at = :heldAtMs WHERE id = :id AND status = 'in_progress'`,
)
export const beginTransfer = sql<Id & { number: string; now: number }>(
  `UPDATE voice_calls SET transfer_to = :number, transfer_status = 'pending', transfer_failure = NULL, transfer_at = :now
   WHERE id = :id AND status = 'in_progress' AND (transfer_status <> 'pending' OR transfer_status IS NULL)`,
)
/** @param failure null: it succeeded, or its outcome is unknown. */
export const endTransfer = sql<Id & { status: CallTransfer['status']; failure: TransferFailure | null }>(
  `UPDATE voice_calls SET transfer_status = :status, transfer_failure = :failure
   WHERE id = :id AND transfer_status = 'pending'`,
)
export const endScheduled = sql<End>(
  `UPDATE voice_calls SET status = :status, end_reason = :reason, ended_at = :now WHERE id = :id AND status = 'scheduled'`,
)
export const postpone = sql<Id & { scheduledAtMs: number }>(
  `UPDATE voice_calls SET scheduled_at = :scheduledAtMs WHERE id = :id AND status = 'scheduled'`,
)
export const setReview = sql<Id & { summary: string | null; summaryBy: string | null; coaching: string | null }>(
  'UPDATE voice_calls SET summary = :summary, summary_by = :summaryBy, coaching = :coaching WHERE id = :id',
)
/** A widget call without any audio from the visitor is not kept. */
export const removeUnanswered = sql<Id>(`DELETE FROM voice_calls WHERE id = :id AND answered_at IS NULL AND ${LIVE}`)
export const forgetRecording = sql<{ recordingId: string; id: string }>(
  'UPDATE voice_calls SET recording_id = NULL WHERE id = :id AND recording_id = :recordingId',
)

export type CallFilter = { status: CallStatus | null; direction: CallDirection | null }
/** `fromSeq` limits the rows that a filter checks at a time. */
type Page = { beforeSeq: number; fromSeq: number; rows: number } & CallFilter
const FILTER = `seq < :beforeSeq AND seq >= :fromSeq AND (status = :status OR :status IS NULL)
     AND (direction = :direction OR :direction IS NULL)`

/** A list of calls, newest first, read in portions of `rows` calls before `beforeSeq`. */
export interface CallList<Of> {
  readonly page: Statement<Page & Of, StoredCall>
  readonly portion: Statement<{ beforeSeq: number; rows: number } & Of, { fromSeq: number | null; calls: number }>
}

const callsWhere = <Of>(condition: string): CallList<Of> => ({
  page: sql(`SELECT ${COLUMNS} FROM voice_calls WHERE ${condition} AND ${FILTER} ORDER BY seq DESC LIMIT :rows`),
  portion: sql(
    `SELECT MIN(seq) AS fromSeq, COUNT(*) AS calls FROM (
       SELECT seq FROM voice_calls WHERE ${condition} AND seq < :beforeSeq ORDER BY seq DESC LIMIT :rows) AS looked`,
  ),
})

export const callsOfInstance = callsWhere<{ instanceId: string }>('instance_id = :instanceId')
export const callsOfBatch = callsWhere<{ instanceId: string; batchId: string }>(
  'batch_id = :batchId AND instance_id = :instanceId',
)
export const callsOfAccount = callsWhere<{ accountId: string }>('account_id = :accountId')
export const upcomingCalls = sql<
  { accountId: string; instanceId: string | null; afterMs: number; afterSeq: number; rows: number },
  StoredCall
>(
  `SELECT ${COLUMNS} FROM voice_calls
   WHERE account_id = :accountId AND status = 'scheduled' AND (scheduled_at, seq) > (:afterMs, :afterSeq)
     AND (instance_id = :instanceId OR :instanceId IS NULL)
   ORDER BY scheduled_at, seq LIMIT :rows`,
)
export const liveCalls = sql<{ accountId: string }, StoredCall>(
  `SELECT ${COLUMNS} FROM voice_calls WHERE account_id = :accountId AND ${LIVE} ORDER BY seq LIMIT 500`,
)
/** Number of running calls, widgets counted separately, and how many of all of them are not answered yet. */
export const channelsOf = sql<{ instanceId: string }, { calls: number; widgetCalls: number; unanswered: number }>(
  `SELECT COUNT(CASE WHEN gateway <> 'widget' THEN 1 END) AS calls,
     COUNT(CASE WHEN gateway = 'widget' THEN 1 END) AS widgetCalls,
     COUNT(CASE WHEN answered_at IS NULL THEN 1 END) AS unanswered
   FROM voice_calls WHERE instance_id = :instanceId AND ${LIVE}`,
)
/** Number of running calls, in total and of one account. */
export const callsAtOnce = sql<{ accountId: string }, { inAll: number; ofAccount: number }>(
  `SELECT COUNT(*) AS inAll, COUNT(CASE WHEN account_id = :accountId THEN 1 END) AS ofAccount
   FROM voice_calls WHERE ${LIVE}`,
)
export const answeredOfWidget = sql<{ widgetId: string; sinceMs: number }, { count: number }>(
  'SELECT COUNT(*) AS count FROM voice_calls WHERE widget_id = :widgetId AND answered_at >= :sinceMs',
)
export const unansweredOfWidget = sql<{ instanceId: string; widgetId: string }, { count: number }>(
  `SELECT COUNT(*) AS count FROM voice_calls
   WHERE instance_id = :instanceId AND widget_id = :widgetId AND answered_at IS NULL AND ${LIVE}`,
)
/**
 * When the batch started its last call, and how many of its calls come before this one. Ignores times after now,
 * because the clock may have been set back.
 */
export const paceOfBatch = sql<
  { batchId: string; seq: number; now: number },
  { lastStartMs: number | null; ahead: number }
>(
  `SELECT MAX(CASE WHEN started_at <= :now THEN started_at END) AS lastStartMs,
     COUNT(CASE WHEN status = 'scheduled' AND seq < :seq THEN 1 END) AS ahead
   FROM voice_calls WHERE batch_id = :batchId`,
)
/** Calls that have not ended, started by any process. */
export const openCalls = sql<{ afterSeq: number; rows: number }, StoredCall>(
  `SELECT ${COLUMNS} FROM voice_calls WHERE seq > :afterSeq AND ${LIVE} ORDER BY seq LIMIT :rows`,
)
export const overdueCalls = sql<{ beforeMs: number; rows: number }, StoredCall>(
  `SELECT ${COLUMNS} FROM voice_calls WHERE status = 'scheduled' AND scheduled_at < :beforeMs
   ORDER BY scheduled_at, seq LIMIT :rows`,
)
type Spellings = { instanceId: string; number: string; other: string }

export const waitingCallTo = sql<Spellings, { id: string }>(
  `SELECT id FROM voice_calls WHERE instance_id = :instanceId AND status = 'scheduled'
     AND to_number IN (:number, :other)
   ORDER BY seq LIMIT 1`,
)
export const redirectWaiting = sql<Spellings & { to: string }>(
  `UPDATE voice_calls SET to_number = :to
   WHERE instance_id = :instanceId AND status = 'scheduled' AND to_number IN (:number, :other)`,
)
export const endWaiting = sql<{ instanceId: string; reason: EndReason; now: number }>(
  `UPDATE voice_calls SET status = 'canceled', end_reason = :reason, ended_at = :now
   WHERE instance_id = :instanceId AND status = 'scheduled'`,
)

export const rehomeCalls = sql<{ instanceId: string; accountId: string }>(
  'UPDATE voice_calls SET account_id = :accountId WHERE instance_id = :instanceId',
)

export const insertLine = sql<
  { callId: string; position: number; speaker: string; text: string } & { startMs: number; endMs: number }
>(
  `INSERT INTO voice_transcripts (call_id, position, speaker, start_ms, end_ms, text)
   VALUES (:callId, :position, :speaker, :startMs, :endMs, :text) ON CONFLICT (call_id, position) DO NOTHING`,
)
export const linesOf = sql<{ callId: string }, TranscriptLine>(
  `SELECT speaker, start_ms, end_ms, text FROM voice_transcripts WHERE call_id = :callId ORDER BY position`,
)
export const removeLines = sql<{ callId: string }>('DELETE FROM voice_transcripts WHERE call_id = :callId')
