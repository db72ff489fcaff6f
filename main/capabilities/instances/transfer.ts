import { ApiError } from '../../contract/errors.ts'
import { isoTime } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { freeSlot, occupySlot } from '../account/index.ts'
import type { Announce } from './announce.ts'
import { refuseTakenRef } from './create.ts'
import { engineOf, type Engines } from './engines.ts'
import { notFound, refuseRecreating } from './find.ts'
import type { RunExclusive } from './keyed-mutex.ts'
import type { InstanceListener } from './listeners.ts'
import { freeInstanceName } from './slug.ts'
import { byId, insertDeparture, rehomeInstance, removeDepartures, toInstance, type Instance } from './store.ts'

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly engines: Engines
  readonly announce: Announce
  readonly publish: InstanceListener
  readonly runExclusive: RunExclusive
  readonly requireSlot: (tx: Tx, accountId: AccountId) => Promise<void>
  readonly endLinksOf: (tx: Tx, id: InstanceId) => Promise<void>
}

interface Move {
  readonly id: InstanceId
  /** Whose it is; if it is not any more, it is not found. */
  readonly from: AccountId
  readonly to: AccountId
  /** After a restore. */
  readonly isRepeated?: boolean
  /** In the same commit, at its beginning: judges whether both accounts are still what the caller took them for. */
  readonly check: (tx: Tx) => Promise<void>
  /** In the same commit, at its end. */
  readonly record: (tx: Tx) => Promise<void>
}

/** Gives an instance to another account, without a new pairing. @returns it, and when. */
export type Transfer = (move: Move) => Promise<{ readonly instance: Instance; readonly atMs: number }>

export function createTransfer({ db, clock, engines, announce, publish, runExclusive, requireSlot, endLinksOf }: Deps) {
  /** Instances that were transferred since the start. Only for these the owner is looked up before each send. */
  const moved = new Set<InstanceId>()

  const transfer: Transfer = ({ id, from, to, isRepeated = false, check, record }) =>
    runExclusive(id, () =>
      db.commit(async (tx) => {
        await check(tx)
        const row = await tx.one(byId, { id })
        if (row?.deletedAtMs !== null || row.accountId !== from) throw notFound()
        if (from === to)
          throw new ApiError('invalid_state', 'The instance is in this account already.').because('in_account_already')
        const before = toInstance(row)
        refuseRecreating(before)
        // Set before the commit, so that a send that follows in the same group looks too.
        moved.add(id)

        const deletedAtMs = await freeSlot(tx, from, clock.now())
        await announce(tx, id, 'instance.deleted', { name: before.name, deleted_at: isoTime(deletedAtMs) })
        const { externalRef, metadata } = row
        await tx.run(insertDeparture, { accountId: from, instanceId: id, externalRef, metadata, deletedAtMs })

        const slot = await occupySlot(tx, to, clock.now())
        await requireSlot(tx, to)
        if (externalRef !== null) await refuseTakenRef(tx, to, externalRef)
        const instanceName = await freeInstanceName(tx, to, before.instanceName, slot.number)
        await tx.run(rehomeInstance, { id, accountId: to, instanceName, at: slot.changeAtMs })
        await tx.run(removeDepartures, { accountId: to, instanceId: id })
        await engineOf(engines, before).rehome?.(tx, id, to)
        await endLinksOf(tx, id)
        await publish(tx, { kind: 'transferred', id, from, to, isRepeated })

        const instance: Instance = { ...before, accountId: to, instanceName, updatedAtMs: slot.changeAtMs }
        await announceArrival(tx, instance)
        await record(tx)
        return { instance, atMs: slot.changeAtMs }
      }),
    )

  /** The new owner hears what it would have heard: that the instance is there, and that it is connected. */
  async function announceArrival(tx: Tx, instance: Instance): Promise<void> {
    const { id, name, engine, status, phoneNumber: number, profileName } = instance
    await announce(tx, id, 'instance.created', { name, engine, status })
    if (status !== 'connected' || number === null) return
    const data = { number, name: profileName, reconnected: false, downtime_seconds: null }
    await announce(tx, id, 'instance.connected', data)
  }

  return {
    transfer,
    async requireOwner(tx: Tx, accountId: AccountId, id: InstanceId): Promise<void> {
      if (!moved.has(id)) return
      const row = await tx.one(byId, { id })
      if (row?.accountId === accountId) return
      throw new ApiError(
        'not_ready',
        'The instance was just transferred to another account, so nothing was sent.',
      ).because('transferred')
    },
  }
}
