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
 * Ends the connection and connects again. For a connected instance this is like any lost connection: it is announced if it
 * is not back within five seconds.
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

/** States in which the engine has a connection to end first. */
const RUNNING: ReadonlySet<InstanceStatus> = new Set<InstanceStatus>([
  'connecting',
  'qr',
  'passkey_required',
  'connected',
])
