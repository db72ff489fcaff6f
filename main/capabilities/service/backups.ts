import { ApiError } from '../../contract/errors.ts'
import { isoTime } from '../../contract/request.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Clock } from '../../kernel/clock.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { BackupsRecord, RestorePreviewRecord } from './contract/backups.ts'

type State = BackupsRecord['data'][number]['state']

interface Backup {
  readonly name: string
  readonly madeAtMs: number
  readonly reason: string
  readonly bytes: number
  readonly state: State
}

type Restored =
  | { readonly kind: 'done'; readonly name: string; readonly safetyCopy: string | null }
  | { readonly kind: 'failed'; readonly name: string; readonly problem: string }

interface Preview {
  readonly madeAtMs: number
  readonly gone: RestorePreviewRecord['gone']
  readonly kept: RestorePreviewRecord['kept']
  readonly signedOut: number
  readonly campaigns: readonly { readonly id: string; readonly name: string }[]
}

export interface BackupDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly log: Log
  readonly copies: {
    make(reason: string): Promise<{ file: string; bytes: number }>
    list(): readonly Backup[]
    staged(): { readonly name: string; readonly requestedAtMs: number } | null
    stage(name: string, nowMs: number): Promise<'staged' | 'unknown' | 'damaged' | Exclude<State, 'usable'>>
    cancel(): Promise<void>
    /** @throws Error if the backup cannot be compared. */
    preview(name: string, nowMs: number): Preview
    /** Result of a restore at this start. */
    readonly restored: Restored | null
  }
}

export interface Backups {
  readonly backUp: () => Promise<{ file: string; bytes: number }>
  readonly backups: () => BackupsRecord
  readonly listBackups: () => readonly Backup[]
  /** @throws ApiError not_found, invalid_state */
  readonly stageRestore: (name: string) => Promise<BackupsRecord>
  /** @throws ApiError not_found, invalid_state */
  readonly describeRestore: (name: string) => RestorePreviewRecord
  readonly cancelRestore: () => Promise<void>
}

/** Why a backup cannot be restored. */
const REFUSALS: Readonly<Record<'damaged' | Exclude<State, 'usable'>, string>> = {
  damaged: 'This backup is damaged. Choose another one.',
  unreadable: 'This file cannot be read as a backup. Choose another one.',
  newer: 'This backup is from a newer version of Switchboard. Install that version first.',
  foreign:
    'This backup is from another home folder, so its secrets cannot be decrypted here. Restore it in the home folder it came from.',
}

/** Backups of the database. A restore replaces the database at the next start. */
export function createBackups({ clock, live, log, copies }: BackupDeps): Backups {
  let underWay: Promise<{ file: string; bytes: number }> | undefined

  function backups(): BackupsRecord {
    const staged = copies.staged()
    const { restored } = copies
    return {
      data: copies.list().map(({ name, madeAtMs, reason, bytes, state }) => ({
        ...{ name, made_at: isoTime(madeAtMs), reason, bytes, state },
      })),
      staged: staged && { name: staged.name, asked_at: isoTime(staged.requestedAtMs) },
      restored:
        restored &&
        (restored.kind === 'done'
          ? { name: restored.name, safety_copy: restored.safetyCopy, problem: null }
          : { name: restored.name, safety_copy: null, problem: restored.problem }),
    }
  }

  function previewOf(name: string): Preview {
    try {
      return copies.preview(name, clock.now())
    } catch (error) {
      log.warn({ event: 'storage.preview_failed', cause: cause(error) })
      throw new ApiError(
        'invalid_state',
        'This backup cannot be compared with the database, because it is damaged or from an earlier version. You can still restore it.',
      ).because('backup_not_comparable')
    }
  }

  return {
    // A second request while a backup is made gets the same one: it is just as current.
    backUp: () => (underWay ??= copies.make('manual').finally(() => (underWay = undefined))),
    backups,
    listBackups: () => copies.list(),
    async stageRestore(name) {
      const verdict = await copies.stage(name, clock.now())
      if (verdict === 'unknown') throw new ApiError('not_found', 'No backup has this name.')
      if (verdict !== 'staged') throw new ApiError('invalid_state', REFUSALS[verdict]).because(`backup_${verdict}`)
      live.publish(null, { topic: 'service' })
      return backups()
    },
    describeRestore(name) {
      const backup = copies.list().find((one) => one.name === name)
      if (backup === undefined) throw new ApiError('not_found', 'No backup has this name.')
      if (backup.state !== 'usable')
        throw new ApiError('invalid_state', REFUSALS[backup.state]).because(`backup_${backup.state}`)
      const { madeAtMs, gone, kept, signedOut, campaigns } = previewOf(name)
      const paused = campaigns.map(({ id, name: called }) => ({ campaign_id: id, name: called }))
      return { name, made_at: isoTime(madeAtMs), gone, kept, signed_out: signedOut, paused_campaigns: paused }
    },
    async cancelRestore() {
      await copies.cancel()
      live.publish(null, { topic: 'service' })
    },
  }
}
