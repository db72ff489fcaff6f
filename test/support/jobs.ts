import type { Clock } from '../../main/kernel/clock.ts'
import type { Db } from '../../main/kernel/db.ts'
import { createJobs, type Jobs } from '../../main/kernel/jobs.ts'
import { silentLog } from '../../main/kernel/log.ts'

/** The jobs of a single node. Nothing runs before `start`. */
export function testJobs(db: Db, clock: Clock): Jobs {
  const nodes = { id: db.boot, aliveSinceMs: () => 0 }
  return createJobs({ db, clock, log: silentLog, nodes, apiActivity: { isRecent: () => false } })
}
