import { ApiError } from '../../contract/errors.ts'
import { FEATURES, type Feature } from '../../contract/features.ts'
import { isoTime } from '../../contract/request.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { keyedRequest } from '../../kernel/keyed-request.ts'
import { requireTimeZone } from '../../kernel/time-zone.ts'
import { ALLOCATION } from '../entitlements/index.ts'
import type { SubAccount } from './contract/accounts.ts'
import type { AgencyDeps } from './deps.ts'
import {
  insertSubAccount,
  instancesLive,
  markDeleted,
  parentOf,
  setExternalRef,
  subAccountById,
  subAccountByRef,
  type SubAccountRow,
} from './store.ts'

interface NewSubAccount {
  readonly name: string
  readonly external_ref?: string | null
  readonly slots_allocated?: number
  readonly features?: readonly Feature[]
  readonly timezone?: string | null
}

interface CreateCall {
  readonly parentId: AccountId
  readonly wish: NewSubAccount
  readonly rawBody: unknown
  readonly idempotencyKey: string | null
}

type Change = Omit<Partial<NewSubAccount>, 'slots_allocated'>

const OPERATION = 'POST agency accounts'

/** The sub-accounts of an agency. Each change is one commit. */
export function createSubAccounts(deps: AgencyDeps) {
  const { db, clock, ids, accounts, entitlements, idempotency, live } = deps
  const forgetters: ((tx: Tx, accountId: AccountId) => Promise<void>)[] = []

  const toRecord = async (row: SubAccountRow, read?: Tx): Promise<SubAccount> => {
    const { slots, features } = await entitlements.of(row.id, read)
    return {
      ...{ id: row.id, name: row.name, external_ref: row.externalRef, status: row.status },
      ...{ slots_allocated: slots, slots_used: row.slotsUsed, features: [...features], timezone: row.timezone },
      created_at: isoTime(row.createdAtMs),
    }
  }

  const get = async (parentId: AccountId, id: string): Promise<SubAccountRow> =>
    required(await db.readOne(subAccountById, { parentId, id: id.toLowerCase() }))

  /** Changes a sub-account and returns it as of the commit. */
  const change = async (parentId: AccountId, id: string, act: (tx: Tx, row: SubAccountRow) => Promise<void>) =>
    db.commit(async (tx) => {
      const row = required(await tx.one(subAccountById, { parentId, id: id.toLowerCase() }))
      await act(tx, row)
      tx.afterCommit(() => {
        live.publish(parentId, { topic: 'agency' })
        live.publish(row.id, { topic: 'account' })
      })
      return toRecord(required(await tx.one(subAccountById, { parentId, id: row.id })), tx)
    })

  const refuseTakenRef = async (tx: Tx, parentId: AccountId, externalRef: string, ownId?: string): Promise<void> => {
    const holder = await tx.one(subAccountByRef, { parentId, externalRef })
    if (holder === undefined || holder.id === ownId) return
    throw new ApiError(
      'external_ref_conflict',
      `external_ref ${JSON.stringify(externalRef)} is already used by another sub-account. Use a different one.`,
    )
  }

  /** @throws ApiError no_free_slot */
  const allocate = async (tx: Tx, parentId: AccountId, accountId: AccountId, slots: number, before: number) => {
    const { features } = await entitlements.of(accountId, tx)
    if (deps.config.agencyOvercommit || slots <= before)
      return entitlements.grant(tx, { ...grantOf(accountId), slots, features })
    const { free } = await entitlements.slots(parentId, tx)
    if (slots - before > free)
      throw new ApiError(
        'no_free_slot',
        `Only ${free} slots of the pool are free. Take slots from another sub-account, or turn the setting agency.overcommit on.`,
      ).because('pool_slots', { n: free })
    await entitlements.grant(tx, { ...grantOf(accountId), slots, features })
  }

  async function insert(tx: Tx, parentId: AccountId, id: AccountId, wish: NewSubAccount): Promise<SubAccount> {
    const { name, external_ref: externalRef = null, slots_allocated: slots = 0, features = FEATURES } = wish
    const timezone = zoneOf(wish.timezone ?? null)
    const above = await tx.one(parentOf, { accountId: parentId })
    if (above === undefined || above.parentId !== null) throw thirdLevel()
    if (externalRef !== null) await refuseTakenRef(tx, parentId, externalRef)
    await tx.run(insertSubAccount, { id, name: name.trim(), parentId, externalRef, timezone, now: clock.now() })
    await entitlements.grant(tx, { ...grantOf(id), features })
    await allocate(tx, parentId, id, slots, 0)
    return toRecord(required(await tx.one(subAccountById, { parentId, id })), tx)
  }

  return {
    get,
    toRecord: (row: SubAccountRow) => toRecord(row),

    async create({ parentId, wish, rawBody, idempotencyKey: key }: CreateCall) {
      zoneOf(wish.timezone ?? null)
      const id = ids.account()
      const keyed = keyedRequest({ db, idempotency }, { operation: OPERATION, scopeId: parentId, key, rawBody })
      return db.commit(async (tx): Promise<{ record: SubAccount; isReplayed: boolean }> => {
        const earlier = await keyed.claim(tx, id)
        // Written below, in this form.
        if (earlier !== undefined) return { record: JSON.parse(earlier.toString()) as SubAccount, isReplayed: true }
        const record = await insert(tx, parentId, id, wish)
        await keyed.settle(tx, id, Buffer.from(JSON.stringify(record)))
        return { record, isReplayed: false }
      })
    },

    update(parentId: AccountId, id: string, wish: Change) {
      const timezone = zoneOf(wish.timezone)
      return change(parentId, id, async (tx, row) => {
        const { name, external_ref: externalRef, features } = wish
        if (name !== undefined) await accounts.rename(tx, row.id, name.trim())
        if (externalRef !== undefined) {
          if (externalRef !== null) await refuseTakenRef(tx, parentId, externalRef, row.id)
          await tx.run(setExternalRef, { accountId: row.id, externalRef })
        }
        if (timezone !== undefined) await accounts.setTimeZone(tx, row.id, timezone)
        if (features === undefined) return
        const { slots } = await entitlements.of(row.id, tx)
        await entitlements.grant(tx, { ...grantOf(row.id), slots, features })
      })
    },

    setSlots: (parentId: AccountId, id: string, slots: number) =>
      change(parentId, id, async (tx, row) => {
        if (slots < row.slotsUsed)
          throw new ApiError(
            'no_free_slot',
            `The sub-account has ${row.slotsUsed} instances. Delete or transfer some of them first.`,
          ).because('slots_in_use', { n: row.slotsUsed })
        await allocate(tx, parentId, row.id, slots, (await entitlements.of(row.id, tx)).slots)
      }),

    async setSuspended(parentId: AccountId, id: string, isSuspended: boolean) {
      const record = await change(parentId, id, (tx, row) => accounts.setSuspended(tx, row.id, isSuspended))
      if (!isSuspended) await deps.onActivated()
      return record
    },

    /** Runs in the commit that deletes an account: rooms delete what they store about it. */
    whenDeleted: (forget: (typeof forgetters)[number]): void => void forgetters.push(forget),

    async remove(parentId: AccountId, id: string): Promise<void> {
      const removed = await db.commit(async (tx) => {
        const row = required(await tx.one(subAccountById, { parentId, id: id.toLowerCase() }))
        const live = (await tx.one(instancesLive, { accountId: row.id }))?.live ?? 0
        if (live > 0)
          throw new ApiError(
            'invalid_state',
            `The sub-account still has ${live} ${live === 1 ? 'instance' : 'instances'}. Delete or transfer them first.`,
          ).because('client_has_numbers', { n: live })
        await tx.run(markDeleted, { accountId: row.id, now: clock.now() })
        await entitlements.revoke(tx, grantOf(row.id))
        await accounts.lockOut(tx, row.id, clock.now())
        for (const forget of forgetters) await forget(tx, row.id)
        tx.afterCommit(() => deps.live.publish(parentId, { topic: 'agency' }))
        return row.id
      })
      await deps.removeWebhooks(removed)
    },
  }
}

/** The limits and features that an agency grants to a sub-account. */
const grantOf = (accountId: AccountId) => ({ accountId, source: ALLOCATION, sourceKey: accountId }) as const

function required(row: SubAccountRow | undefined): SubAccountRow {
  if (row === undefined) throw new ApiError('not_found', 'There is no sub-account with this id.')
  return row
}

/** Passes null and undefined through. */
const zoneOf = <T extends null | undefined>(zone: string | T): string | T =>
  typeof zone === 'string' ? requireTimeZone(zone, 'timezone') : zone

const thirdLevel = () =>
  new ApiError('invalid_state', 'A sub-account cannot have sub-accounts. Create it with a key of the agency.').because(
    'client_has_no_clients',
  )
