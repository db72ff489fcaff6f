import { LIMITS } from '../../contract/limits.ts'
import { cause } from '../../kernel/log.ts'
import { endScheduled, overdueCalls, type StoredCall } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'

interface OverdueDeps extends Pick<VoiceDeps, 'db' | 'clock' | 'clockJumps' | 'log'> {
  readonly publish: (call: StoredCall) => void
}

export type Overdue = ReturnType<typeof createOverdue>

const ROWS = 100

/** Ends calls whose time passed while the service was off, or was skipped when the clock was set. */
export function createOverdue({ db, clock, clockJumps, log, publish }: OverdueDeps) {
  let movedMs = clock.movedMs()
  let failing = Promise.resolve()

  /** A call that is more than 15 minutes late is not made, because the person no longer expects it. */
  async function fail(): Promise<void> {
    const now = clock.now()
    const beforeMs = now - LIMITS.voiceLateMinutes * 60_000
    for (;;) {
      const calls = await db.read(overdueCalls, { beforeMs, rows: ROWS })
      if (calls.length > 0)
        await db.commit(async (tx) => {
          for (const { id } of calls) await tx.run(endScheduled, { id, status: 'failed', reason: 'app_offline', now })
        })
      for (const call of calls) publish(call)
      if (calls.length < ROWS) return
    }
  }

  function failNow(): void {
    failing = failing
      .then(fail)
      .catch((error: unknown) => log.warn({ event: 'voice.overdue_not_ended', cause: cause(error) }))
  }

  clockJumps.onJump(failNow)

  return {
    fail,
    /** Runs before a call is made: it may be due only because the computer woke up or its clock was set. */
    async settled(): Promise<void> {
      clockJumps.check()
      // The clock of the service follows a little later.
      if (clock.movedMs() !== movedMs) failNow()
      movedMs = clock.movedMs()
      await failing
    },
  }
}
