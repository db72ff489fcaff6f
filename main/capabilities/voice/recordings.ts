import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { CallDirection, VoiceRecording } from '../../contract/voice.ts'
import { canAccessInstance, type Principal } from '../../kernel/access.ts'
import type { FileContent } from '../../kernel/file-content.ts'
import type { Tx } from '../../kernel/db.ts'
import type { InstanceSubject } from '../handler.ts'
import { forgetRecording, removeLines } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'
import { createLinks } from './links.ts'
import { toRecording } from './record.ts'
import {
  expiredRecordings,
  latestRecording,
  peaksOf,
  RECORDING_FILE,
  recordingById,
  recordingOfCall,
  recordingsByDirection,
  recordingsOfInstance,
  removeRecording,
  type StoredRecording,
} from './recording-store.ts'

const notFound = () => new ApiError('not_found', 'There is no recording with this id.')
const ROWS = 100

/** Recordings whose file is in its place. Others do not exist. */
export function createRecordings(
  deps: Pick<VoiceDeps, 'db' | 'clock' | 'random' | 'files' | 'cursors' | 'instances' | 'live'>,
) {
  const { db, clock, files, cursors, instances, live } = deps
  const links = createLinks(deps, 'rec')

  /** @throws ApiError not_found */
  async function get(instance: Pick<InstanceSubject, 'id'>, id: string): Promise<StoredRecording> {
    const found = await db.readOne(recordingById, { id })
    if (found?.instanceId !== instance.id) throw notFound()
    return found
  }

  /** @throws ApiError not_found if the file was removed meanwhile */
  async function fileOf({ accountId, fileId }: StoredRecording): Promise<FileContent> {
    const file = await files.find({ accountId, kind: RECORDING_FILE, id: fileId })
    if (file === undefined) throw notFound()
    return file
  }

  async function remove(tx: Tx, recording: StoredRecording): Promise<void> {
    const { id, accountId, fileId, callId, instanceId } = recording
    await files.remove(tx, { accountId, kind: RECORDING_FILE, id: fileId })
    await tx.run(removeRecording, { id })
    await tx.run(removeLines, { callId })
    await tx.run(forgetRecording, { id: callId, recordingId: id })
    tx.afterCommit(() => live.publish(accountId, { topic: 'voice', id: callId, instance_id: instanceId }))
  }

  return {
    get,
    fileOf,
    remove,
    /** Relative to the base URL. */
    async link(instance: InstanceSubject, id: string): Promise<string> {
      const recording = await get(instance, id)
      const { expires, signature } = await links.to(recording.id)
      return `/files/rec/${recording.id}?exp=${expires}&sig=${signature}`
    },

    async list(
      { id: instanceId }: InstanceSubject,
      query: { limit?: number; cursor?: string; direction?: CallDirection; has_audio?: boolean },
    ): Promise<{ recordings: VoiceRecording[]; next_cursor: string | null; has_more: boolean }> {
      const { limit = LIMITS.pageSizeDefault, cursor, direction, has_audio: hasAudio } = query
      const list = `voice recordings:${instanceId}:${JSON.stringify([direction, hasAudio])}`
      const [beforeMs, beforeId] = cursor === undefined ? [Number.MAX_SAFE_INTEGER, ''] : cursors.decode(list, cursor)
      const page = {
        ...{ instanceId, beforeMs: Number(beforeMs), beforeId: String(beforeId), rows: limit + 1 },
        hasAudio: hasAudio === undefined ? null : hasAudio ? (1 as const) : (0 as const),
      }
      const rows =
        direction === undefined
          ? await db.read(recordingsOfInstance, page)
          : await db.read(recordingsByDirection, { ...page, direction })
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return {
        recordings: shown.map(toRecording),
        next_cursor: last === undefined ? null : cursors.encode(list, [last.endedAtMs, last.id]),
        has_more: last !== undefined,
      }
    },

    /** @throws ApiError not_found, ambiguous_instance */
    async latest(caller: Principal, name: string, callId: string | undefined) {
      const named = await instances.named(caller.accountId, name)
      const reachable = named.filter(({ id }) => canAccessInstance(caller, id))
      const [instance, other] = reachable
      if (instance === undefined) throw new ApiError('not_found', 'There is no instance with this id or name.')
      if (other !== undefined) {
        throw new ApiError(
          'ambiguous_instance',
          `${reachable.length} instances are named ${JSON.stringify(name)}. Use the UUID of the one you mean.`,
        )
      }
      const recording =
        callId === undefined
          ? await db.readOne(latestRecording, { instanceId: instance.id })
          : await db.readOne(recordingOfCall, { callId, instanceId: instance.id })
      if (recording === undefined) {
        throw new ApiError(
          'not_found',
          'There is no recording yet. It appears when the call has ended and its file is complete: retry after a second.',
        )
      }
      return {
        instance: { id: instance.id, name: instance.name, instance_name: instance.instanceName },
        recording: toRecording(recording),
      }
    },

    async peaks(instance: InstanceSubject, id: string) {
      const { durationMs } = await get(instance, id)
      const bytes = (await db.readOne(peaksOf, { id }))?.peaks ?? new Uint8Array()
      const half = bytes.length / 2
      const toShares = (part: Uint8Array) => Array.from(part, (value) => Math.round((value / 255) * 1_000) / 1_000)
      return {
        duration_ms: durationMs,
        agent: toShares(bytes.subarray(0, half)),
        person: toShares(bytes.subarray(half)),
      }
    },

    /** For a signed address. @returns undefined: it was altered, has expired, or the recording is gone. */
    async bySignedLink(id: string, expires: string, signature: string): Promise<FileContent | undefined> {
      if (!(await links.isValid(id, expires, signature))) return undefined
      const found = await db.readOne(recordingById, { id })
      return found && files.find({ accountId: found.accountId, kind: RECORDING_FILE, id: found.fileId })
    },

    async delete(instance: InstanceSubject, id: string): Promise<void> {
      const recording = await get(instance, id)
      await db.commit((tx) => remove(tx, recording))
    },

    retention: {
      name: 'voice recordings',
      begin: () => async () => {
        const expired = await db.read(expiredRecordings, { now: clock.now(), rows: ROWS })
        if (expired.length > 0)
          await db.commit(async (tx) => {
            for (const recording of expired) await remove(tx, recording)
          })
        return expired.length === ROWS
      },
    },
  }
}
