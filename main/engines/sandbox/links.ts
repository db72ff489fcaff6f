import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { dueAt, dueIn } from '../../kernel/due.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { EngineInstance, EngineSignal } from '../engine.ts'
import type { Alarms } from '../alarms.ts'
import type { Faults } from './faults.ts'
import { isPaired, type Session, type Sessions } from './sessions.ts'
import type { Timeline } from './timeline.ts'
import { LINK } from './timeline-store.ts'

/** A dropped connection reconnects after this time. */
const HEALS_AFTER_MS = 8_000

/** The real network's close codes for these cases. */
const CODES = { drop: 428, logged_out: 401, banned: 403, token_revoked: 190 } as const

interface LinkDeps {
  readonly db: Db
  readonly clock: Clock
  readonly alarms: Alarms
  readonly sessions: Sessions
  readonly timeline: Timeline
  readonly faults: Faults
}

export type Links = ReturnType<typeof createLinks>

/**
 * Connects and disconnects instances. State, signal and the messages that wait for the connection change in one
 * commit.
 */
export function createLinks({ db, clock, alarms, sessions, timeline, faults }: LinkDeps) {
  async function schedule(tx: Tx, instanceId: InstanceId, signal: EngineSignal): Promise<void> {
    const when = { step: LINK, due: dueIn(clock, 0), phone: null, offsetMs: 0 }
    await timeline.schedule(tx, { instanceId, lane: `link ${instanceId}`, ...when, signal })
  }

  /** Announces the connection, then releases the signals that waited for it. */
  async function announceConnected(tx: Tx, session: Session | undefined): Promise<boolean> {
    if (!isPaired(session)) return false
    await schedule(tx, session.instanceId, { kind: 'connected', number: session.number, name: session.name })
    await timeline.release(tx, session.instanceId)
    return true
  }

  async function endSession(tx: Tx, instanceId: InstanceId): Promise<void> {
    await sessions.unpair(tx, instanceId)
    await timeline.forget(tx, instanceId)
    tx.afterCommit(() => alarms.clear(healing(instanceId)))
  }

  const links = {
    /** Pairs a number. @returns false when the instance has one already. */
    async pair(instance: EngineInstance, number: string, name: string): Promise<boolean> {
      return db.commit(async (tx) => {
        await sessions.ensure(tx, instance)
        return announceConnected(tx, await sessions.pair(tx, instance.id, number, name))
      })
    },
    /**
     * Connects a stored session; a restart also ends a simulated outage of the engine. @returns false without a
     * session.
     */
    async enable(instanceId: InstanceId): Promise<boolean> {
      alarms.clear(healing(instanceId))
      return db.commit(async (tx) => {
        await faults.clear(tx, instanceId, 'engine_down')
        return announceConnected(tx, await sessions.enable(tx, instanceId))
      })
    },
    /** Disconnects and keeps the session. */
    async stop(instanceId: InstanceId): Promise<void> {
      alarms.clear(healing(instanceId))
      await db.commit(async (tx) => {
        await sessions.lower(tx, instanceId, null)
        await timeline.hold(tx, instanceId)
        await timeline.forgetLink(tx, instanceId)
      })
    },
    /** Drops the connection, which reconnects later. */
    async drop(instanceId: InstanceId): Promise<void> {
      await db.commit(async (tx) => {
        const healsAtMs = clock.now() + HEALS_AFTER_MS
        if ((await sessions.lower(tx, instanceId, healsAtMs)) === undefined) return
        await timeline.hold(tx, instanceId)
        const why = { reason: 'connection_lost', code: CODES.drop, nextRetryAtMs: healsAtMs }
        await schedule(tx, instanceId, { kind: 'link_lost', ...why })
        const heals = dueAt(clock, healsAtMs)
        tx.afterCommit(() => links.healAt(instanceId, heals.atMs))
      })
    },
    healAt(instanceId: InstanceId, atMs: number): void {
      alarms.set(healing(instanceId), atMs, () => void links.enable(instanceId))
    },
    /** The network ends the session. */
    async revoke(instanceId: InstanceId, reason: 'logged_out' | 'banned' | 'token_revoked'): Promise<void> {
      await db.commit(async (tx) => {
        await endSession(tx, instanceId)
        await schedule(tx, instanceId, { kind: 'auth_failed', reason, code: CODES[reason], untilMs: null })
      })
    },
    /** Discards the session of an instance without reporting it. */
    async leave(instanceId: InstanceId): Promise<void> {
      await db.commit((tx) => endSession(tx, instanceId))
    },
    /** Removes everything of the instance except its messages. */
    async wipe(instanceId: InstanceId): Promise<void> {
      await db.commit(async (tx) => {
        await endSession(tx, instanceId)
        await faults.clearAll(tx, instanceId)
        await sessions.remove(tx, instanceId)
      })
    },
  }
  return links
}

const healing = (instanceId: InstanceId) => `heal ${instanceId}`
