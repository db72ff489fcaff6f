import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LIMITS } from '../../contract/limits.ts'
import { endScheduled, openCalls, overdueCalls } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'
import type { Running } from './running.ts'

const ROWS = 100

/** What an earlier process left unfinished, and what nobody was there to do. */
export function createRecovery({
  db,
  clock,
  log,
  running,
}: Pick<VoiceDeps, 'db' | 'clock' | 'log'> & { running: Running }) {
  /** Calls that were under way when the process ended: their recording is completed if it can be read. */
  async function endAbandoned(): Promise<void> {
    for (let afterSeq = 0; ;) {
      const calls = await db.read(openCalls, { afterSeq, rows: ROWS })
      for (const call of calls) {
        const isSandbox = call.gateway === 'sandbox'
        await running.finish(call, null, { isAnswered: call.answeredAtMs !== null, isSandbox, expiresAtMs: null })
        log.warn({ event: 'voice.call_abandoned', callId: call.id })
      }
      afterSeq = calls.at(-1)?.seq ?? afterSeq
      if (calls.length < ROWS) return
    }
  }

  async function removeParts(): Promise<void> {
    await mkdir(running.folder, { recursive: true, mode: 0o700 })
    for (const name of await readdir(running.folder)) await rm(join(running.folder, name), { force: true })
  }

  /** A call that is more than a quarter of an hour late is not made: the person expects it no longer. */
  async function failOverdue(): Promise<void> {
    const now = clock.now()
    const beforeMs = now - LIMITS.voiceLateMinutes * 60_000
    for (;;) {
      const calls = await db.read(overdueCalls, { beforeMs, rows: ROWS })
      if (calls.length > 0)
        await db.commit(async (tx) => {
          for (const { id } of calls) await tx.run(endScheduled, { id, status: 'failed', reason: 'app_offline', now })
        })
      for (const call of calls) running.publish(call)
      if (calls.length < ROWS) return
    }
  }

  return {
    failOverdue,
    async recover(): Promise<void> {
      await endAbandoned()
      await removeParts()
      await failOverdue()
    },
  }
}
