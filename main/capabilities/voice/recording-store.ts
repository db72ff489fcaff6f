import type { CallDirection, CallSource } from '../../contract/voice.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export interface StoredRecording {
  readonly seq: number
  readonly id: string
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  readonly callId: string
  readonly direction: CallDirection
  readonly source: CallSource
  readonly fileId: string
  readonly durationMs: number
  readonly size: number
  readonly hasAudio: 0 | 1
  readonly sandbox: 0 | 1
  readonly endedAtMs: number
  readonly createdAtMs: number
  readonly expiresAtMs: number | null
}

const COLUMNS = `seq, id, account_id AS accountId, instance_id AS instanceId, call_id AS callId, direction, source,
  file_id AS fileId, duration_ms AS durationMs, size, has_audio AS hasAudio, sandbox, ended_at AS endedAtMs,
  created_at AS createdAtMs, expires_at AS expiresAtMs`

/** The name of recordings in the file store. */
export const RECORDING_FILE = 'voice.recording'

export const insertRecording = sql<StoredRecording & { peaks: Uint8Array }>(
  `INSERT INTO voice_recordings (seq, id, account_id, instance_id, call_id, direction, source, file_id, duration_ms, size,
     has_audio, sandbox, peaks, ended_at, created_at, expires_at)
   VALUES (:seq, :id, :accountId, :instanceId, :callId, :direction, :source, :fileId, :durationMs, :size, :hasAudio,
     :sandbox, :peaks, :endedAtMs, :createdAtMs, :expiresAtMs)`,
)
export const recordingById = sql<{ id: string }, StoredRecording>(
  `SELECT ${COLUMNS} FROM voice_recordings WHERE id = :id`,
)
export const recordingOfCall = sql<{ callId: string; instanceId: string }, StoredRecording>(
  `SELECT ${COLUMNS} FROM voice_recordings WHERE call_id = :callId AND instance_id = :instanceId`,
)
export const latestRecording = sql<{ instanceId: string }, StoredRecording>(
  `SELECT ${COLUMNS} FROM voice_recordings WHERE instance_id = :instanceId ORDER BY ended_at DESC, id DESC LIMIT 1`,
)
type Page = { instanceId: string; hasAudio: 0 | 1 | null; beforeMs: number; beforeId: string; rows: number }
const PAGE = `(ended_at, id) < (:beforeMs, :beforeId) AND (has_audio = :hasAudio OR :hasAudio IS NULL)`
export const recordingsOfInstance = sql<Page, StoredRecording>(
  `SELECT ${COLUMNS} FROM voice_recordings WHERE instance_id = :instanceId AND ${PAGE}
   ORDER BY ended_at DESC, id DESC LIMIT :rows`,
)
export const recordingsByDirection = sql<Page & { direction: CallDirection }, StoredRecording>(
  `SELECT ${COLUMNS} FROM voice_recordings WHERE instance_id = :instanceId AND direction = :direction AND ${PAGE}
   ORDER BY ended_at DESC, id DESC LIMIT :rows`,
)
export const recordingsOfAccount = sql<
  Omit<Page, 'instanceId'> & { accountId: AccountId; direction: CallDirection | null },
  StoredRecording
>(
  `SELECT ${COLUMNS} FROM voice_recordings WHERE account_id = :accountId AND ${PAGE}
     AND (direction = :direction OR :direction IS NULL)
   ORDER BY ended_at DESC, id DESC LIMIT :rows`,
)
export const peaksOf = sql<{ id: string }, { peaks: Uint8Array }>('SELECT peaks FROM voice_recordings WHERE id = :id')
export const removeRecording = sql<{ id: string }>('DELETE FROM voice_recordings WHERE id = :id')
export const expiredRecordings = sql<{ now: number; rows: number }, StoredRecording>(
  `SELECT ${COLUMNS} FROM voice_recordings WHERE expires_at <= :now ORDER BY expires_at LIMIT :rows`,
)
export const filesOfInstance = sql<{ instanceId: string }, Pick<StoredRecording, 'accountId' | 'fileId'>>(
  'SELECT account_id AS accountId, file_id AS fileId FROM voice_recordings WHERE instance_id = :instanceId',
)
export const rehomeRecordings = sql<{ instanceId: string; accountId: string }>(
  'UPDATE voice_recordings SET account_id = :accountId WHERE instance_id = :instanceId',
)
/** Recordings of a deleted instance are removed by retention. */
export const expireOfInstance = sql<{ instanceId: string }>(
  'UPDATE voice_recordings SET expires_at = 0 WHERE instance_id = :instanceId',
)
