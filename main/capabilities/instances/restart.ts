import type { Engine as EngineName, InstanceStatus } from '../../contract/shapes.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { callEngine, engineOf, toEngineInstance, type Engines } from './engines.ts'
import { getInstance, notFound, refuseRecreating } from './find.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { LinkEvent } from './link-event.ts'
import { requireDiscard, type DiscardSession } from './session.ts'
import type { RunExclusive } from './keyed-mutex.ts'

interface Deps {
  readonly db: Db
  readonly engines: Engines
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly discardSession: DiscardSession
  readonly runExclusive: RunExclusive
}

export type Restart = (id: InstanceId) => Promise<{ id: InstanceId; engine: EngineName; status: InstanceStatus }>

/**
 * Ends what runs and begins again. A connected instance loses its link by it, so it goes the way of every lost link:
 * back within five seconds, nobody is told; later, it is an outage.
 */
export function createRestart({ db, engines, log, lifecycle, discardSession, runExclusive }: Deps): Restart {
  return (id) =>
    runExclusive(id, async () => {
      const before = await getInstance(db, id)
      const engine = engineOf(engines, before)
      const subject = toEngineInstance(before)
      const event: LinkEvent = before.status === 'connected' ? LINK_ENDED : { kind: 'start', by: 'restart' }
      const after = await db.commit((tx) => lifecycle.apply(tx, id, event))
      if (!after) throw notFound()
      refuseRecreating(after)
      await requireDiscard(discardSession, before)
      await callEngine(log, subject, async () => {
        if (RUNNING.has(before.status)) await engine.stop(subject)
        await engine.start(subject)
      })
      return { id, engine: after.engine, status: after.status }
    })
}

const LINK_ENDED: LinkEvent = { kind: 'link_lost', reason: 'restart', code: null, nextRetryAtMs: null }

/** Where the engine has something to end first. */
const RUNNING: ReadonlySet<InstanceStatus> = new Set<InstanceStatus>([
  'connecting',
  'qr',
  'passkey_required',
  'connected',
])
