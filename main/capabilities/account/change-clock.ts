import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

/** The state of an account's change clock. */
export interface AccountState {
  /** The latest value of the change clock: a list bounded by it is one consistent state. */
  readonly changeAtMs: number
  readonly instancesLive: number
}

/** The slot that a new instance gets from its account. */
export interface Slot {
  readonly changeAtMs: number
  /** Ordinal number of the instance in the account, counting deleted ones. */
  readonly number: number
  /** Slots in use, including this one. */
  readonly inUse: number
}

type Moment = { id: string; now: number }

/**
 * Wall-clock time that strictly increases even if the machine's clock is set back. `updated_since` is exclusive, so
 * of two changes with one value, a client that saw the first would miss the second.
 */
const TICK = 'change_at = CASE WHEN change_at >= :now THEN change_at + 1 ELSE :now END'

const tick = sql<Moment, { changeAtMs: number }>(
  `UPDATE accounts SET ${TICK} WHERE id = :id RETURNING change_at AS changeAtMs`,
)

const occupy = sql<Moment, Slot>(
  `UPDATE accounts SET ${TICK}, instances_made = instances_made + 1, instances_live = instances_live + 1
   WHERE id = :id RETURNING change_at AS changeAtMs, instances_made AS number, instances_live AS inUse`,
)

const free = sql<Moment, { changeAtMs: number }>(
  `UPDATE accounts SET ${TICK}, instances_live = instances_live - 1 WHERE id = :id RETURNING change_at AS changeAtMs`,
)

const state = sql<{ id: string }, AccountState>(
  'SELECT change_at AS changeAtMs, instances_live AS instancesLive FROM accounts WHERE id = :id',
)

/** The next value of the account's change clock, in the order of commits. */
export async function nextChange(tx: Tx, accountId: AccountId, nowMs: number): Promise<number> {
  return requireRow(await tx.one(tick, { id: accountId, now: nowMs })).changeAtMs
}

/** Occupies a slot for a new instance. The caller must check in the same commit whether the plan allows it. */
export async function occupySlot(tx: Tx, accountId: AccountId, nowMs: number): Promise<Slot> {
  return requireRow(await tx.one(occupy, { id: accountId, now: nowMs }))
}

/** Frees the slot of a deleted instance. @returns the time of the change. */
export async function freeSlot(tx: Tx, accountId: AccountId, nowMs: number): Promise<number> {
  return requireRow(await tx.one(free, { id: accountId, now: nowMs })).changeAtMs
}

export async function accountState(db: Pick<Db, 'readOne'>, accountId: AccountId): Promise<AccountState> {
  return requireRow(await db.readOne(state, { id: accountId }))
}

function requireRow<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('An instance belongs to an account that does not exist')
  return row
}
