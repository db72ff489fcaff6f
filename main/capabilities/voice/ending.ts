import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EndReason, TranscriptLine } from '../../contract/voice.ts'
import { StorageError, type Tx } from '../../kernel/db.ts'
import { isDiskFull } from '../../kernel/durable-file.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { cause } from '../../kernel/log.ts'
import type { RecordingFacts } from '../../voice/protocol.ts'
import type { Allowance } from './allowance.ts'
import { finalStatus, isLive } from './call-state.ts'
import { callById, endLive, insertLine, removeUnanswered, setAnswered, type StoredCall } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'
import { insertRecording, RECORDING_FILE } from './recording-store.ts'

/** How a call ended. */
export interface Ending {
  readonly call: StoredCall
  readonly reason: EndReason
  readonly endedAtMs: number
  /** When its first audio arrived; null: none did. */
  readonly answeredAtMs: number | null
  /** null: the voice process or the service ended during the call, so its recording has to be repaired. */
  readonly heard: { readonly talkedMs: number | null; readonly recording: RecordingFacts | null } | null
  /** All lines of the transcript, if some could not be stored during the call. */
  readonly lines: readonly TranscriptLine[]
  readonly isSandbox: boolean
  readonly expiresAtMs: number | null
}

interface EndingDeps extends Pick<VoiceDeps, 'db' | 'ids' | 'log' | 'files' | 'config' | 'onEnded' | 'usage'> {
  readonly allowance: Pick<Allowance, 'count'>
  /** Adds the follow-up work in the commit that ends the call. */
  readonly afterCall: (tx: Tx, call: StoredCall) => Promise<void>
}

const LARGEST_RECORDING = 200 * 1024 * 1024

/** Stores how calls ended. */
export function createEndings(deps: EndingDeps) {
  const { db, ids, log, files, config, afterCall, onEnded, usage, allowance } = deps
  const folder = join(config.home, 'recordings')
  const partOf = (callId: string) => join(folder, `${callId}.ogg.part`)

  /** Counts a call once, in the commit of its first answer. */
  async function answer(tx: Tx, call: StoredCall, nowMs: number): Promise<void> {
    if ((await tx.run(setAnswered, { id: call.id, now: nowMs })) > 0) await allowance.count(tx, call)
  }

  /** Ends a started call. @param payerId the account that made it: the instance may have been transferred meanwhile. */
  async function end(
    tx: Tx,
    ending: Omit<Ending, 'heard'>,
    recordingId: string | null,
    talkedMs: number,
    payerId: AccountId,
  ) {
    const { id } = ending.call
    const { reason, endedAtMs: now, answeredAtMs } = ending
    if (answeredAtMs !== null) await answer(tx, ending.call, answeredAtMs)
    else if (ending.call.gateway === 'widget' && (await tx.run(removeUnanswered, { id })) > 0) return
    const isAnswered = answeredAtMs !== null
    const durationMs = isAnswered ? talkedMs : null
    const status = finalStatus(reason, isAnswered)
    if ((await tx.run(endLive, { id, status, reason, now, recordingId, durationMs })) === 0) return
    for (const [position, line] of ending.lines.entries()) await tx.run(insertLine, rowOf(id, position, line))
    const ended = await tx.one(callById, { id })
    if (ended === undefined) return
    // Rounded like `duration_seconds`, so that the usage equals the sum of the calls.
    const callSeconds = Math.round(talkedMs / 1_000)
    const { instanceId } = ended
    if (isAnswered) await usage.add(tx, { accountId: payerId, instanceId, atMs: now, calls: 1, callSeconds })
    await afterCall(tx, ended)
    await onEnded(tx, ended)
  }

  /** @throws StorageError if the disk is full. @returns null if nothing is audible. */
  async function repaired(part: string, callId: string): Promise<RecordingFacts | null> {
    try {
      // Loaded only for an interrupted recording, because the codec is large.
      return await (await import('../../voice/repair.ts')).repairRecording(part)
    } catch (error) {
      if (isDiskFull(error)) throw new StorageError('full', 'A recording could not be repaired', { cause: error })
      log.error({ event: 'voice.recording_lost', callId, cause: cause(error) })
      return null
    }
  }

  /** Adds the recording's row and ends the call in one commit, after the file is in its final place. */
  async function adopt(ending: Ending, facts: RecordingFacts, talkedMs: number): Promise<void> {
    const { call, endedAtMs: now, isSandbox, expiresAtMs } = ending
    const about = { accountId: call.accountId, kind: RECORDING_FILE, name: `${call.id}.ogg`, mimeType: 'audio/ogg' }
    const file = { ...about, expiresAt: null, maxBytes: LARGEST_RECORDING }
    await files.adopt(partOf(call.id), file, async (tx, stored) => {
      const recordingId = ids.uuid()
      const { accountId } = (await tx.one(callById, call)) ?? call
      if (accountId !== call.accountId)
        await files.rehome(tx, { accountId: call.accountId, kind: RECORDING_FILE, id: stored.id }, accountId)
      await tx.run(insertRecording, {
        ...{ seq: await tx.next('voice_recordings'), id: recordingId, fileId: stored.id, size: stored.size },
        ...{ accountId, instanceId: call.instanceId, callId: call.id },
        ...{ direction: call.direction, source: call.source, durationMs: facts.durationMs, peaks: facts.peaks },
        hasAudio: facts.hasAudio ? 1 : 0,
        sandbox: isSandbox ? 1 : 0,
        ...{ endedAtMs: now, createdAtMs: now, expiresAtMs },
      })
      await end(tx, ending, recordingId, talkedMs, call.accountId)
    })
  }

  return {
    folder,
    partOf,
    answer,

    /** @throws StorageError if it cannot be stored now; try again later. */
    async write(given: Ending): Promise<void> {
      const { call } = given
      const part = partOf(call.id)
      const stored = await db.readOne(callById, call)
      // An earlier attempt may have succeeded although it reported an error.
      if (stored === undefined || !isLive(stored.status)) return rm(part, { force: true })
      const facts = given.heard === null ? await repaired(part, call.id) : given.heard.recording
      const talkedMs = given.heard === null ? (facts?.durationMs ?? 0) : (given.heard.talkedMs ?? 0)
      // The recorder starts with the first audio.
      const answeredAtMs = given.answeredAtMs ?? (facts === null ? null : given.endedAtMs - facts.durationMs)
      const ending = { ...given, answeredAtMs }
      if (facts !== null) {
        try {
          return await adopt(ending, facts, talkedMs)
        } catch (error) {
          if (error instanceof StorageError) throw error
          log.error({ event: 'voice.recording_lost', callId: call.id, cause: cause(error) })
        }
      }
      await db.commit((tx) => end(tx, ending, null, talkedMs, call.accountId))
      await rm(part, { force: true })
    },
  }
}

export type Endings = ReturnType<typeof createEndings>

export const rowOf = (callId: string, position: number, line: TranscriptLine) => ({
  ...{ callId, position, speaker: line.speaker, text: line.text },
  ...{ startMs: line.start_ms, endMs: line.end_ms },
})
