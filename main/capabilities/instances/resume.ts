import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { toEngineInstance, type Engines } from './engines.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { LinkEvent } from './link-event.ts'
import { OUTAGE_MS } from './outages.ts'
import type { DiscardSession } from './session.ts'
import { eachPage } from './pages.ts'
import { isRecreating, pageToDiscard, pageToResume, type Instance } from './store.ts'

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly engines: Engines
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly discardSession: DiscardSession
}

export type ResumeAll = () => Promise<void>

/** Each of these changes a row, records an event and enqueues deliveries, so a unit has only a few of them. */
const MOVES_PER_UNIT = 100

interface PendingEvent {
  readonly id: InstanceId
  readonly event: LinkEvent
}

/**
 * At start of the service: lets the engines take up their sessions and makes the rows say what is true. An instance
 * that is connected as before costs one row read and nothing else; rows are written in bulk, and only where they were
 * wrong. Timers of the engines do not run yet (`Engine.begin` comes after).
 */
export function createResumeAll({ db, clock, engines, log, lifecycle, discardSession }: Deps): ResumeAll {
  return async () => {
    for await (const page of eachPage(db, pageToDiscard)) {
      // What is being recreated is wiped by wiping.ts, which also begins its pairing.
      for (const instance of page) if (!isRecreating(instance)) await discardSession(instance)
    }
    for await (const page of eachPage(db, pageToResume)) await resume(page)
  }

  async function resume(page: readonly Instance[]): Promise<void> {
    // Losses that were not announced before the service stopped are announced now, before connections are reported as back.
    const overdue = page.filter((instance) => leftMs(instance) === 0)
    await applyAll(
      overdue.map(({ id, linkLostAtMs }) => ({ id, event: { kind: 'outage', linkLostAtMs: linkLostAtMs ?? 0 } })),
    )
    const found = await Promise.all(page.map(async (instance) => ({ instance, link: await resumeSession(instance) })))
    await applyAll(found.flatMap(({ instance, link }) => correction(instance, link)))
    for (const { instance, link } of found) {
      const left = leftMs(instance)
      if (link !== 'connecting' || left === null || left === 0) continue
      lifecycle.watch({ id: instance.id, linkLostAtMs: instance.linkLostAtMs ?? 0 }, left)
    }
  }

  async function resumeSession(instance: Instance): Promise<'connected' | 'connecting' | 'no_session'> {
    try {
      return (await engines[instance.network][instance.engine]?.resume(toEngineInstance(instance))) ?? 'connecting'
    } catch (error) {
      log.warn({ event: 'instance.resume.failed', instanceId: instance.id, cause: cause(error) })
      return 'connecting'
    }
  }

  async function applyAll(moves: readonly PendingEvent[]): Promise<void> {
    for (let i = 0; i < moves.length; i += MOVES_PER_UNIT) {
      await db.commit(async (tx) => {
        for (const { id, event } of moves.slice(i, i + MOVES_PER_UNIT)) await lifecycle.apply(tx, id, event)
      })
    }
  }

  /** What is left of the five seconds before a loss is announced; null when none waits to be. */
  function leftMs({ linkLostAtMs }: Instance): number | null {
    if (linkLostAtMs === null) return null
    // A clock that was set back must not stretch the wait.
    return Math.min(OUTAGE_MS, Math.max(0, linkLostAtMs + OUTAGE_MS - clock.now()))
  }
}

/** The changes that the row needs; none if it is already right. */
function correction(
  { id, status, loggedIn, phoneNumber, profileName }: Instance,
  link: 'connected' | 'connecting' | 'no_session',
): PendingEvent[] {
  if (link === 'no_session') return [{ id, event: { kind: 'session_lost' } }]
  if (link === 'connected') {
    // Without a session of its own the number may be that of an earlier one; the engine reports the new one itself.
    if (status === 'connected' || !loggedIn || phoneNumber === null) return []
    return [{ id, event: { kind: 'connected', number: phoneNumber, name: profileName } }]
  }
  return status === 'connected' ? [{ id, event: SERVICE_RESTARTED }] : []
}

const SERVICE_RESTARTED: LinkEvent = { kind: 'link_lost', reason: 'service_restarted', code: null, nextRetryAtMs: null }
