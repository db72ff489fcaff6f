import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Timer } from '../../kernel/clock.ts'
import { cause } from '../../kernel/log.ts'
import { isLive } from './call-state.ts'
import { callById, openCalls, type StoredCall } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'
import type { Endings } from './ending.ts'
import type { Overdue } from './overdue.ts'
import type { Running } from './running.ts'
import { readSetup } from './setup.ts'

const ROWS = 100
const SWEEP_MS = 30_000

interface RecoveryDeps extends Pick<VoiceDeps, 'db' | 'clock' | 'log'> {
  readonly running: Pick<Running, 'find' | 'publish'>
  readonly endings: Pick<Endings, 'write' | 'folder'>
  readonly overdue: Pick<Overdue, 'fail'>
  /** Retries failed registrations of trunks. */
  readonly registerTrunks: () => Promise<void>
}

/** Ends orphaned calls: those of an earlier process, and those whose start or end failed halfway. */
export function createRecovery({ db, clock, log, running, endings, overdue, registerTrunks }: RecoveryDeps) {
  /**
   * Open calls without an owner at the last check. A call that is about to be placed can appear in one check, but not
   * in two in a row.
   */
  let unowned = new Set<string>()
  let timer: Timer | undefined
  let sweeping: Promise<void> | undefined

  async function endAbandoned(call: StoredCall): Promise<void> {
    const { settings } = await readSetup({ one: db.readOne }, call.instanceId)
    const days = settings.keep_recordings_days
    try {
      await endings.write({
        ...{ call, reason: 'app_crashed', endedAtMs: clock.now(), answeredAtMs: call.answeredAtMs, heard: null },
        ...{ lines: [], isSandbox: call.gateway === 'sandbox' },
        expiresAtMs: days === null ? null : clock.now() + days * 86_400_000,
      })
      log.warn({ event: 'voice.call_abandoned', callId: call.id })
      running.publish(call)
    } catch (error) {
      // The next check tries again.
      log.error({ event: 'voice.end_not_written', callId: call.id, reason: 'app_crashed', cause: cause(error) })
    }
  }

  /** @param isOver whether a call without an owner is over. */
  async function endOpen(isOver: (call: StoredCall) => boolean): Promise<void> {
    const found = new Set<string>()
    for (let afterSeq = 0; ;) {
      const calls = await db.read(openCalls, { afterSeq, rows: ROWS })
      for (const call of calls) {
        if (running.find(call.id) !== undefined) continue
        found.add(call.id)
        if (isOver(call)) await endAbandoned(call)
      }
      afterSeq = calls.at(-1)?.seq ?? afterSeq
      if (calls.length < ROWS) break
    }
    unowned = found
  }

  /** Deletes partial recordings of ended calls. */
  async function removeParts(): Promise<void> {
    await mkdir(endings.folder, { recursive: true, mode: 0o700 })
    for (const name of await readdir(endings.folder)) {
      const [id = ''] = name.split('.')
      if (running.find(id) !== undefined) continue
      const call = await db.readOne(callById, { id })
      if (call !== undefined && isLive(call.status)) continue
      // A file that cannot be deleted must not keep the service from starting.
      await rm(join(endings.folder, name), { force: true }).catch((error: unknown) =>
        log.warn({ event: 'voice.part_not_removed', callId: id, cause: cause(error) }),
      )
    }
  }

  async function sweep(): Promise<void> {
    for (const act of [() => endOpen(({ id }) => unowned.has(id)), removeParts, registerTrunks])
      await act().catch((error: unknown) => log.warn({ event: 'voice.sweep_failed', cause: cause(error) }))
  }

  return {
    async recover(): Promise<void> {
      await endOpen(() => true)
      await removeParts()
      await overdue.fail()
    },
    start(): void {
      timer = clock.every(SWEEP_MS, () => {
        sweeping ??= sweep().finally(() => (sweeping = undefined))
      })
    },
    async stop(): Promise<void> {
      timer?.cancel()
      await sweeping
    },
  }
}
