import { onTestFinished } from 'vitest'
import type { Db } from '../../main/kernel/db.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { createJobs, type Jobs } from '../../main/kernel/jobs.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { fakeClock, type FakeClock } from './clock.ts'
import { testDatabase } from './database.ts'

/** Two accounts in one home. */
export const [BUSY, OTHER] = [
  '0197f0c2-0000-7c51-9d2b-000000000001' as AccountId,
  '0197f0c2-0000-7c51-9d2b-000000000002' as AccountId,
]

/** The job queue of a service, over a database of its own. It stops with the test that asks for it. */
export async function jobsOfTest(): Promise<{ jobs: Jobs; db: Db; clock: FakeClock }> {
  const clock = fakeClock()
  const { db, close } = await testDatabase(undefined, { clock })
  const nodes = { id: db.boot, aliveSinceMs: () => 0 }
  const jobs = createJobs({ db, clock, log: silentLog, nodes, apiActivity: { isRecent: () => false } })
  onTestFinished(async () => {
    await jobs.stop(0)
    await close()
  })
  return { jobs, db, clock }
}
