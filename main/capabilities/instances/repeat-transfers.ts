import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { readMeta, removeMeta, TRANSFERS_TO_REPEAT } from '../../kernel/meta.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { InstanceListener } from './listeners.ts'
import { byId } from './store.ts'
import type { Transfer } from './transfer.ts'

interface Deps {
  readonly db: Db
  readonly log: Log
  readonly lifecycle: Pick<Lifecycle, 'apply'>
  readonly publish: InstanceListener
  readonly transfer: Transfer
}

const Transfers = Type.Array(Type.Object({ id: Type.String(), to: Type.String() }))

/**
 * After a restore: instances that were transferred since the backup go to their new owners again, before anything of
 * them is served. Where one cannot, for example because the new owner has no free slot now, it is signed out.
 */
export function createRepeatTransfers({ db, log, lifecycle, publish, transfer }: Deps): () => Promise<void> {
  async function repeat(id: InstanceId, to: AccountId): Promise<void> {
    const row = await db.readOne(byId, { id })
    // A crash in the middle: this one was done.
    if (row === undefined || row.deletedAtMs !== null || row.accountId === to) return
    try {
      await transfer({ id, from: row.accountId, to, isRepeated: true, check: async () => {}, record: async () => {} })
      log.info({ event: 'instance.transfer.repeated', instanceId: id })
    } catch (error) {
      log.warn({ event: 'instance.transfer.not_repeated', instanceId: id, cause: cause(error) })
      await db.commit(async (tx) => {
        await publish(tx, { kind: 'not_returned', id })
        await lifecycle.apply(tx, id, { kind: 'stop', logout: true })
      })
    }
  }

  return async () => {
    const left = await readMeta(db, TRANSFERS_TO_REPEAT)
    if (left === undefined) return
    const transfers: unknown = JSON.parse(left)
    if (!Check(Transfers, transfers)) throw new TypeError('What a restore left of transfers cannot be read.')
    for (const { id, to } of transfers) await repeat(id as InstanceId, to as AccountId)
    await db.commit((tx) => removeMeta(tx, TRANSFERS_TO_REPEAT))
  }
}
