import type { CallAnswer, Receipts } from '../../contract/sandbox.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { defaultName } from './network-ids.ts'

export interface PhoneSettings {
  readonly name: string | null
  readonly online: boolean
  readonly receipts: Receipts
  /** Added to the delivered and read times of the timeline. */
  readonly delayMs: number
  /** How the phone answers calls from our numbers. */
  readonly calls: CallAnswer
  /** The account asks for a passkey when a device is linked. */
  readonly passkey: boolean
  /** Sends no delivered receipt, only `read`. */
  readonly dropReceipts: boolean
  readonly duplicateReceipts: boolean
}

export interface Phone extends PhoneSettings {
  readonly accountId: AccountId
  readonly number: string
  /** null: the number was never used. */
  readonly seq: number | null
  /** When the person last wrote to anybody; null: never. */
  readonly spokeAtMs: number | null
  readonly createdAtMs: number
}

/** A phone that is stored. */
export type KnownPhone = Phone & { readonly seq: number }

interface Row {
  seq: number
  accountId: AccountId
  number: string
  name: string | null
  online: number
  receipts: Receipts
  delayMs: number
  calls: CallAnswer
  passkey: number
  dropReceipts: number
  duplicateReceipts: number
  spokeAtMs: number | null
  createdAtMs: number
}

const COLUMNS = `seq, account_id AS accountId, number, name, online, receipts, delay_ms AS delayMs, calls, passkey,
  drop_receipts AS dropReceipts, duplicate_receipts AS duplicateReceipts, spoke_at AS spokeAtMs,
  created_at AS createdAtMs`

type Named = { accountId: string; number: string }

const byNumber = sql<Named, Row>(
  `SELECT ${COLUMNS} FROM sandbox_phones WHERE account_id = :accountId AND number = :number`,
)

const add = sql<Named & { seq: number; now: number }>(
  `INSERT INTO sandbox_phones (seq, account_id, number, online, receipts, delay_ms, passkey, drop_receipts,
     duplicate_receipts, created_at)
   VALUES (:seq, :accountId, :number, 1, 'read', 0, 0, 0, 0, :now)
   ON CONFLICT (account_id, number) DO NOTHING`,
)

const set = sql<Omit<Row, 'accountId' | 'number' | 'spokeAtMs' | 'createdAtMs'>, Row>(
  `UPDATE sandbox_phones SET name = :name, online = :online, receipts = :receipts, delay_ms = :delayMs,
     calls = :calls, passkey = :passkey, drop_receipts = :dropReceipts, duplicate_receipts = :duplicateReceipts
   WHERE seq = :seq RETURNING ${COLUMNS}`,
)

const markSpoken = sql<{ seq: number; now: number }, Row>(
  `UPDATE sandbox_phones SET spoke_at = :now WHERE seq = :seq RETURNING ${COLUMNS}`,
)

const page = sql<{ accountId: string; before: number; limit: number }, Row>(
  `SELECT ${COLUMNS} FROM sandbox_phones WHERE account_id = :accountId AND seq < :before ORDER BY seq DESC LIMIT :limit`,
)

export interface Phones {
  /** The phone of a number; an unused number has a default one without a row. */
  find(accountId: AccountId, number: string): Promise<Phone>
  /** The same if it is in memory, without waiting. */
  cached(accountId: AccountId, number: string): Phone | undefined
  /** Stores the phone unless it is stored already. */
  ensure(tx: Tx, accountId: AccountId, number: string, nowMs: number): Promise<KnownPhone>
  /** @returns `existed` false when the row was just created. */
  change(
    tx: Tx,
    accountId: AccountId,
    number: string,
    changes: Partial<PhoneSettings>,
    nowMs: number,
  ): Promise<{ before: KnownPhone; after: KnownPhone; existed: boolean }>
  spoke(tx: Tx, phone: KnownPhone, nowMs: number): Promise<void>
  /** Newest first. @param words part of a name or a number; undefined lists every phone. */
  list(accountId: AccountId, beforeSeq: number, limit: number, words?: string): Promise<KnownPhone[]>
}

/** Limit of phones in memory; the oldest are read again when needed. */
const KEPT = 20_000
/** Phones one step of a search reads. */
const SEARCH_ROWS = 500

/**
 * The phones of all accounts. Only the sandbox writes this table, so rows are cached in memory and a send needs no
 * query.
 */
export function createPhones(db: Db): Phones {
  const kept = new Map<string, Phone>()

  function keep(phone: Phone): void {
    if (kept.size >= KEPT) kept.delete(kept.keys().next().value ?? '')
    kept.set(keyOf(phone.accountId, phone.number), phone)
  }

  /** Updates the memory only after the commit. */
  function written(tx: Tx, row: Row): KnownPhone {
    const phone = toPhone(row)
    tx.afterCommit(() => keep(phone))
    return phone
  }

  async function ensureRow(tx: Tx, accountId: AccountId, number: string, now: number) {
    const existed = (await tx.run(add, { seq: await tx.next('sandbox'), accountId, number, now })) === 0
    const row = await tx.one(byNumber, { accountId, number })
    if (row === undefined) throw new Error('A phone that was just written is not there')
    return { row, existed }
  }

  const phones: Phones = {
    cached: (accountId, number) => kept.get(keyOf(accountId, number)),
    async find(accountId, number) {
      const cached = phones.cached(accountId, number)
      if (cached !== undefined) return cached
      const row = await db.readOne(byNumber, { accountId, number })
      // A commit may have cached a newer state while this row was read.
      const meanwhile = phones.cached(accountId, number)
      if (meanwhile !== undefined) return meanwhile
      const phone = row === undefined ? unused(accountId, number) : toPhone(row)
      keep(phone)
      return phone
    },
    async ensure(tx, accountId, number, nowMs) {
      const cached = phones.cached(accountId, number)
      if (cached !== undefined && isKnown(cached)) return cached
      return written(tx, (await ensureRow(tx, accountId, number, nowMs)).row)
    },
    async change(tx, accountId, number, changes, nowMs) {
      const { row, existed } = await ensureRow(tx, accountId, number, nowMs)
      const before = toPhone(row)
      const changed = await tx.one(set, toRow({ ...before, ...changes }))
      return { before, after: written(tx, changed ?? row), existed }
    },
    async spoke(tx, phone, nowMs) {
      const row = await tx.one(markSpoken, { seq: phone.seq, now: nowMs })
      if (row !== undefined) written(tx, row)
    },
    async list(accountId, beforeSeq, limit, words) {
      if (words === undefined) return (await db.read(page, { accountId, before: beforeSeq, limit })).map(toPhone)
      const isMatch = matcherFor(words)
      const found: KnownPhone[] = []
      for (let before = beforeSeq; found.length < limit;) {
        const rows = (await db.read(page, { accountId, before, limit: SEARCH_ROWS })).map(toPhone)
        found.push(...rows.filter(isMatch))
        const last = rows.at(-1)
        if (last === undefined || rows.length < SEARCH_ROWS) break
        before = last.seq
        await yieldToEventLoop()
      }
      return found.slice(0, limit)
    },
  }
  return phones
}

/** Matches the displayed name, and the number in any notation: +1 (202) 555-0123. */
function matcherFor(words: string): (phone: KnownPhone) => boolean {
  const text = words.trim().toLocaleLowerCase()
  const digits = /^[\d\s().+-]+$/.test(text) ? text.replaceAll(/\D/g, '') : ''
  return ({ name, number }) =>
    (name ?? defaultName(number)).toLocaleLowerCase().includes(text) || (digits !== '' && number.includes(digits))
}

const keyOf = (accountId: AccountId, number: string) => `${accountId} ${number}`

const isKnown = (phone: Phone): phone is KnownPhone => phone.seq !== null

function toPhone(row: Row): KnownPhone {
  return {
    ...row,
    online: row.online === 1,
    passkey: row.passkey === 1,
    dropReceipts: row.dropReceipts === 1,
    duplicateReceipts: row.duplicateReceipts === 1,
  }
}

function toRow(phone: KnownPhone) {
  const flag = (claim: boolean) => (claim ? 1 : 0)
  const { seq, name, receipts, delayMs, calls } = phone
  return {
    seq,
    name,
    receipts,
    delayMs,
    calls,
    online: flag(phone.online),
    passkey: flag(phone.passkey),
    dropReceipts: flag(phone.dropReceipts),
    duplicateReceipts: flag(phone.duplicateReceipts),
  }
}

function unused(accountId: AccountId, number: string): Phone {
  return {
    seq: null,
    accountId,
    number,
    name: null,
    online: true,
    receipts: 'read',
    delayMs: 0,
    calls: 'automatic',
    passkey: false,
    dropReceipts: false,
    duplicateReceipts: false,
    spokeAtMs: null,
    createdAtMs: 0,
  }
}
