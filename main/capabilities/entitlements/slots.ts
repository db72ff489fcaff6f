import { ApiError } from '../../contract/errors.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { givenAway, liveIn, liveInSubAccounts, parentOf } from './store.ts'

/** Source of grants by an account to its sub-accounts. */
export const ALLOCATION = 'agency'

/** A commit, or the database outside of one. */
export type EntitlementReader = Pick<Tx, 'all' | 'one'>

interface SlotCount {
  readonly total: number
  /** Own instances plus the slots given to sub-accounts. */
  readonly used: number
  readonly free: number
}

export interface Slots {
  /**
   * Runs in the commit that adds an instance, after the instance was counted.
   * @throws ApiError no_free_slot
   */
  requireSlot(tx: Tx, accountId: AccountId): Promise<void>
  slots(accountId: AccountId, read?: EntitlementReader): Promise<SlotCount>
}

interface Deps {
  readonly of: (accountId: AccountId, read: EntitlementReader) => Promise<{ readonly slots: number }>
  readonly config: { readonly agencyOvercommit?: boolean }
  readonly committed: EntitlementReader
}

export function createSlots({ of, config, committed }: Deps): Slots {
  const liveOf = async (read: EntitlementReader, accountId: AccountId) =>
    (await read.one(liveIn, { accountId }))?.live ?? 0
  const given = async (read: EntitlementReader, parentId: AccountId) =>
    (await read.one(givenAway, { parentId, source: ALLOCATION }))?.slots ?? 0
  const liveBelow = async (read: EntitlementReader, parentId: AccountId) =>
    (await read.one(liveInSubAccounts, { parentId }))?.live ?? 0

  /** With overcommit, more slots may be given away than exist, so the slots in use are limited instead. */
  const requireInPool = async (tx: Tx, parentId: AccountId): Promise<void> => {
    const { slots } = await of(parentId, tx)
    const below = config.agencyOvercommit === true ? await liveBelow(tx, parentId) : await given(tx, parentId)
    if ((await liveOf(tx, parentId)) + below > slots) throw noFreeSlot(slots)
  }

  return {
    async requireSlot(tx, accountId) {
      const parentId = ((await tx.one(parentOf, { accountId }))?.parentId ?? null) as AccountId | null
      if (parentId === null) return requireInPool(tx, accountId)
      const { slots } = await of(accountId, tx)
      if ((await liveOf(tx, accountId)) > slots) throw noAllocatedSlot(slots)
      if (config.agencyOvercommit === true) await requireInPool(tx, parentId)
    },
    async slots(accountId, read = committed) {
      const { slots: total } = await of(accountId, read)
      const used = (await liveOf(read, accountId)) + (await given(read, accountId))
      return { total, used, free: Math.max(0, total - used) }
    },
  }
}

const noFreeSlot = (slots: number) =>
  new ApiError(
    'no_free_slot',
    `All ${slots} instance slots are in use. Delete an instance, take slots back from a sub-account, or raise the slots setting.`,
  ).because('slots_full', { n: slots })

const noAllocatedSlot = (slots: number) =>
  new ApiError(
    'no_free_slot',
    `All ${slots} instance slots of this account are in use. Delete an instance, or ask your agency for more slots.`,
  ).because('slots_full_client', { n: slots })
