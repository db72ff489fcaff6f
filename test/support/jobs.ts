import { onTestFinished } from 'vitest'
import type { Clock } from '../../main/kernel/clock.ts'
import type { Db } from '../../main/kernel/db.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { createJobs, type Jobs } from '../../main/kernel/jobs.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { fakeClock, type FakeClock } from './clock.ts'
import { testDatabase } from './database.ts'

/** Two accounts of one home. */
export const BUSY = '0197f0c2-0000-7c51-9d2b-000000000001' as AccountId
export const OTHER = '0197f0c2-0000-7c51-9d2b-000000000002' as AccountId

/** The jobs of a single node. Nothing runs before `start`. */
export function testJobs(db: Db, clock: Clock): Jobs {
  const nodes = { id: db.boot, aliveSinceMs: () => 0 }
  return createJobs({ db, clock, log: silentLog, nodes, apiActivity: { isRecent: () => false } })
}

/** The same over a database of their own, until the test ends. */
export async function jobsOfTest(): Promise<{ jobs: Jobs; db: Db; clock: FakeClock }> {
  const clock = fakeClock()
  const { db, close } = await testDatabase(undefined, { clock })
  const jobs = testJobs(db, clock)
  onTestFinished(async () => {
    await jobs.stop(0)
    await close()
  })
  return { jobs, db, clock }
}
