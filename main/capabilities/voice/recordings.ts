import { extractOf } from '../../contract/call-extract.ts'
import { ApiError } from '../../contract/errors.ts'
import type { CallDirection } from '../../contract/voice.ts'
import { canAccessInstance, type Principal } from '../../kernel/access.ts'
import type { FileContent } from '../../kernel/file-content.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Tx } from '../../kernel/db.ts'
import { listPage } from '../../kernel/list-page.ts'
import type { InstanceSubject } from '../handler.ts'
import { callById, forgetRecording, linesOf, removeLines } from './call-store.ts'
import type { RecordingRow } from './contract/console.ts'
import type { VoiceDeps } from './deps.ts'
import type { SignedLinks } from './links.ts'
import { toRecording } from './record.ts'
import {
  expiredRecordings,
  latestRecording,
  peaksOf,
  RECORDING_FILE,
  recordingById,
  recordingOfCall,
  recordingsOfAccount,
  recordingsByDirection,
  recordingsOfInstance,
  removeRecording,
  type StoredRecording,
} from './recording-store.ts'

const notFound = () => new ApiError('not_found', 'There is no recording with this id.')
const fileMissing = () =>
  new ApiError(
    'not_found',
    'The file of this recording is missing from the disk. Put it back into the files folder of the home, or delete the recording.',
  ).because('recording_missing')
const ROWS = 100

interface ListQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly direction?: CallDirection
  readonly has_audio?: boolean
}
interface Position {
  readonly beforeMs: number
  readonly beforeId: string
  readonly rows: number
  readonly hasAudio: 0 | 1 | null
}

/** Recordings of ended calls. If a file is missing from the disk, its record says so. */
export function createRecordings(
  deps: Pick<VoiceDeps, 'db' | 'clock' | 'files' | 'cursors' | 'instances' | 'live'> & {
    readonly links: Pick<SignedLinks, 'to' | 'isValid'>
  },
) {
  const { db, clock, files, cursors, instances, live, links } = deps

  /** @throws ApiError not_found */
  async function get(instance: Pick<InstanceSubject, 'id'>, id: string): Promise<StoredRecording> {
    const found = await db.readOne(recordingById, { id })
    if (found?.instanceId !== instance.id) throw notFound()
    return found
  }

  const contentOf = ({ accountId, fileId }: StoredRecording) =>
    files.find({ accountId, kind: RECORDING_FILE, id: fileId })

  /** Whether the complete file exists on disk. */
  async function isThere(recording: StoredRecording): Promise<boolean> {
    const file = await contentOf(recording)
    if (file === undefined) return false
    return file.verify().then(
      () => true,
      () => false,
    )
  }

  const show = async (recording: StoredRecording) => toRecording(recording, await isThere(recording))

  /** @throws ApiError not_found if it is missing */
  async function fileOf(recording: StoredRecording): Promise<FileContent> {
    const file = await contentOf(recording)
    if (file === undefined || !(await isThere(recording))) throw fileMissing()
    return file
  }

  const readPage = (
    list: string,
    { has_audio: hasAudio, ...wish }: ListQuery,
    read: (page: Position) => Promise<readonly StoredRecording[]>,
  ) =>
    listPage(cursors, list, wish, {
      read: ({ after: [beforeMs = Number.MAX_SAFE_INTEGER, beforeId = ''] = [], rows }) =>
        read({
          ...{ beforeMs: Number(beforeMs), beforeId: String(beforeId), rows },
          hasAudio: hasAudio === undefined ? null : hasAudio ? 1 : 0,
        }),
      at: ({ endedAtMs, id }) => [endedAtMs, id],
      show: (recordings) => recordings,
    })

  const pageOfInstance = (instanceId: string, query: ListQuery) => {
    const { direction, has_audio: hasAudio } = query
    return readPage(`voice recordings:${instanceId}:${JSON.stringify([direction, hasAudio])}`, query, (page) =>
      direction === undefined
        ? db.read(recordingsOfInstance, { ...page, instanceId })
        : db.read(recordingsByDirection, { ...page, instanceId, direction }),
    )
  }

  const pageOfAccount = async (accountId: AccountId, query: ListQuery & { readonly instance_id?: string }) => {
    const { direction = null, has_audio: hasAudio, instance_id: instanceId } = query
    if (instanceId !== undefined) {
      const page = await pageOfInstance(instanceId, query)
      return { ...page, data: page.data.filter((row) => row.accountId === accountId) }
    }
    return readPage(
      `voice recordings of account:${accountId}:${JSON.stringify([direction, hasAudio])}`,
      query,
      (page) => db.read(recordingsOfAccount, { ...page, accountId, direction }),
    )
  }

  async function describe(recording: StoredRecording): Promise<RecordingRow> {
    const call = await db.readOne(callById, { id: recording.callId })
    const instance = await instances.find({ one: db.readOne }, recording.accountId, recording.instanceId)
    return {
      ...(await show(recording)),
      instance_name: instance?.name ?? '',
      number: (recording.direction === 'outbound' ? call?.toNumber : call?.fromNumber) ?? null,
      agent_id: call?.agentId ?? null,
      summary: call?.summary ?? null,
      extract: call?.summaryBy === 'extract' ? await extractIn(recording.callId) : null,
    }
  }

  async function extractIn(callId: string): Promise<RecordingRow['extract']> {
    const { agentLines, personLines, quotes, areQuestions } = extractOf(await db.read(linesOf, { callId }))
    return { agent_lines: agentLines, person_lines: personLines, quotes: [...quotes], are_questions: areQuestions }
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
    show: async (instance: InstanceSubject, id: string) => show(await get(instance, id)),
    fileOf,
    remove,
    /** Relative to the base URL. @throws ApiError not_found if its file is missing */
    async link(instance: InstanceSubject, id: string): Promise<string> {
      const recording = await get(instance, id)
      if (!(await isThere(recording))) throw fileMissing()
      const { expires, signature } = await links.to('rec', recording)
      return `/files/rec/${recording.id}?exp=${expires}&sig=${signature}`
    },

    async list(instance: Pick<InstanceSubject, 'id'>, query: ListQuery) {
      const { data, ...place } = await pageOfInstance(instance.id, query)
      return { recordings: await Promise.all(data.map(show)), ...place }
    },

    async listAll(accountId: AccountId, query: ListQuery & { readonly instance_id?: string }) {
      const { data, ...place } = await pageOfAccount(accountId, query)
      return { data: await Promise.all(data.map(describe)), ...place }
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
        recording: await show(recording),
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

    /** For a signed link. @returns undefined if it was altered or has expired, or the recording no longer exists. */
    async bySignedLink(id: string, expires: string, signature: string): Promise<FileContent | undefined> {
      const found = await db.readOne(recordingById, { id })
      if (found === undefined || !(await links.isValid('rec', found, expires, signature))) return undefined
      return contentOf(found)
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
