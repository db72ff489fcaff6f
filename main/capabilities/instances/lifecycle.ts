import { TRAITS } from '../../contract/engine-traits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { nextChange } from '../account/index.ts'
import type { Announce } from './announce.ts'
import type { InstanceListener } from './listeners.ts'
import type { Announcement, Change, LinkEvent } from './link-event.ts'
import { applyEvent } from './link.ts'
import { createOutages, type Outage } from './outages.ts'
import { byId, insertReconnect, linkRow, pruneReconnects, toInstance, updateLink, type Instance } from './store.ts'

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly announce: Announce
  /** Told when an instance is connected as another number. */
  readonly publish: InstanceListener
}

export interface Lifecycle {
  /**
   * Applies a trigger to an instance in the caller's unit: status, fields, `updated_at` and the event.
   * @returns the instance afterwards; undefined when there is none or it was deleted.
   */
  readonly apply: (tx: Tx, id: InstanceId, event: LinkEvent) => Promise<Instance | undefined>
  /** Continues with a loss that was not yet announced when the service stopped. */
  readonly watch: (outage: Outage, leftMs: number) => void
  /** The instance is deleted, so a lost session no longer matters. */
  readonly cancelOutage: (id: InstanceId) => void
  readonly close: () => void
}

const DAY_MS = 86_400_000
/** Bulk work shares the thread with everything else (kernel/db.ts), and each of these writes several rows. */
const OUTAGES_PER_UNIT = 100

export function createLifecycle({ db, clock, log, announce, publish }: Deps): Lifecycle {
  const outages = createOutages({ clock, log, announce: announceOutages })

  async function apply(tx: Tx, id: InstanceId, event: LinkEvent): Promise<Instance | undefined> {
    const row = await tx.one(byId, { id })
    if (!row || row.deletedAtMs !== null) return undefined
    const before = toInstance(row)
    let instance = before
    for (const step of changesOf(before, event, clock.now())) instance = await write(tx, instance, step)
    if (instance.linkLostAtMs !== before.linkLostAtMs) tx.afterCommit(() => trackOutage(id, instance.linkLostAtMs))
    return instance
  }

  async function write(tx: Tx, before: Instance, { link, announcement, reconnected }: Change): Promise<Instance> {
    const now = clock.now()
    const updatedAtMs = isVisible(before, link) ? await nextChange(tx, before.accountId, now) : before.updatedAtMs
    await tx.run(updateLink, { id: before.id, ...linkRow(link), updatedAtMs })
    if (announcement) await record(tx, before.id, announcement)
    const { phoneNumber: number } = link
    if (number !== null && number !== before.phoneNumber) await publish(tx, { kind: 'number', id: before.id, number })
    if (reconnected) {
      await tx.run(pruneReconnects, { id: before.id, before: now - DAY_MS })
      await tx.run(insertReconnect, { id: before.id, at: now })
    }
    return { ...before, ...link, updatedAtMs }
  }

  const record = (tx: Tx, id: InstanceId, { type, data }: Announcement) => announce(tx, id, type, data)

  function trackOutage(id: InstanceId, linkLostAtMs: number | null): void {
    if (linkLostAtMs === null) outages.cancel(id)
    else outages.watch({ id, linkLostAtMs })
  }

  async function announceOutages(due: readonly Outage[]): Promise<void> {
    for (let i = 0; i < due.length; i += OUTAGES_PER_UNIT) {
      await db.commit(async (tx) => {
        for (const { id, linkLostAtMs } of due.slice(i, i + OUTAGES_PER_UNIT)) {
          await apply(tx, id, { kind: 'outage', linkLostAtMs })
        }
      })
    }
  }

  return { apply, watch: outages.watch, cancelOutage: outages.cancel, close: outages.close }
}

/**
 * The steps of an event: none, one, or two for an `official` instance whose number was connected on its onboarding
 * page. There the start and the login are one act, so both states are crossed and both events fire, in order.
 */
function changesOf(instance: Instance, event: LinkEvent, nowMs: number): Change[] {
  const direct = applyEvent(instance, event, nowMs)
  if (direct || event.kind !== 'connected' || TRAITS[instance.engine].isLinkedPhone) return direct ? [direct] : []
  const started = applyEvent(instance, { kind: 'start', by: 'pairing' }, nowMs)
  const connected = started && applyEvent(started.link, event, nowMs)
  return started && connected ? [started, connected] : []
}

/** Whether a field of the record moves, and `updated_at` with it. */
const isVisible = (before: Instance, after: Change['link']): boolean =>
  RECORDED.some((field) => before[field] !== after[field])

const RECORDED = [
  'status',
  'loggedIn',
  'phoneNumber',
  'profileName',
  'blockedUntilMs',
  'lastConnectedAtMs',
  'lastDisconnectReason',
] as const satisfies (keyof Change['link'])[]
