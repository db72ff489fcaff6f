import type { InstanceStatus } from '../../contract/shapes.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { engineOf, toEngineInstance, type Engines } from './engines.ts'
import { getInstance, notFound, refuseRecreating } from './find.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { DiscardSession } from './session.ts'
import type { RunExclusive } from './keyed-mutex.ts'

interface Deps {
  readonly db: Db
  readonly engines: Engines
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly discardSession: DiscardSession
  readonly runExclusive: RunExclusive
}

export type Disconnect = (id: InstanceId, logout: boolean) => Promise<{ status: InstanceStatus }>

/** After the commit, later signals about this connection change nothing (status.ts). */
export function createDisconnect({ db, engines, log, lifecycle, discardSession, runExclusive }: Deps): Disconnect {
  return (id, logout) =>
    runExclusive(id, async () => {
      const engine = engineOf(engines, await getInstance(db, id))
      const after = await db.commit((tx) => lifecycle.apply(tx, id, { kind: 'stop', logout }))
      if (!after) throw notFound()
      refuseRecreating(after)
      // The instance is disconnected even if the engine fails. The row remembers an unfinished logout.
      if (after.discard !== null) await discardSession(after)
      else {
        await engine.stop(toEngineInstance(after)).catch((error: unknown) => {
          log.warn({ event: 'instance.stop.failed', instanceId: id, cause: cause(error) })
        })
      }
      return { status: after.status }
    })
}
