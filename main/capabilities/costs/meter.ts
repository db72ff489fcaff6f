import type { Billing, Price } from '../../engines/price.ts'
import type { Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { countryOf } from '../../kernel/phone-country.ts'
import { addToSum } from './budget-store.ts'
import { releaseHold } from './holds.ts'
import { CERTAINTY, dayOfPrice, kindOf } from './price.ts'
import { addToCount, ownerOf, priceOfMessage, putPrice, type CountPlace, type PriceRow } from './store.ts'

/** A status of a message, as its network reported it. */
export interface BilledStatus {
  readonly messageId: string
  readonly instanceId: InstanceId
  /** The message; undefined if a restore removed it. */
  readonly message:
    | {
        readonly accountId: string
        readonly chat: string
        readonly campaignId: string | null
        readonly idempotencyKey: string | null
      }
    | undefined
  readonly status: keyof typeof CERTAINTY
  readonly atMs: number
  readonly billing: Billing
}

export type Meter = ReturnType<typeof createMeter>

/**
 * Counts each message once, when it is delivered and its price is known, in the commits that store its statuses. The
 * order and number of reports do not matter: a more certain report moves the message from one count to another.
 */
export function createMeter() {
  return {
    async reported(tx: Tx, reported: BilledStatus): Promise<void> {
      const before = await tx.one(priceOfMessage, { messageId: reported.messageId })
      const known = before ?? (await firstSeen(tx, reported))
      if (known === undefined) return
      const after = learn(known, reported)
      if (before !== undefined && isSame(before, after)) return
      await tx.run(putPrice, { ...after })
      const [left, entered] = [before === undefined ? null : placeOf(before), placeOf(after)]
      if (left !== null && entered !== null && isSame(left, entered)) return
      if (left !== null) await count(tx, left, -1)
      if (entered !== null) await count(tx, entered, 1)
      const sendKey = reported.message?.idempotencyKey ?? null
      if (entered !== null && known.campaignId !== '' && sendKey !== null) await releaseHold(tx, sendKey)
    },

    /** What the network reported of a message; null: nothing. */
    async priceOf(read: Pick<Tx, 'one'>, messageId: string): Promise<Price | null> {
      const row = await read.one(priceOfMessage, { messageId })
      if (row === undefined || row.certainty === 0) return null
      const { category, type, model, billable } = row
      return { category, type, model, billable: billable === null ? null : billable === 1 }
    },
  }
}

async function count(tx: Tx, place: CountPlace, messages: 1 | -1): Promise<void> {
  await tx.run(addToCount, { ...place, messages })
  const { accountId, day, campaignId, country, category, kind } = place
  if (kind !== 'free') await tx.run(addToSum, { accountId, day, campaignId, country, category, kind, messages })
}

async function firstSeen(
  tx: Tx,
  { messageId, instanceId, message, billing }: BilledStatus,
): Promise<PriceRow | undefined> {
  const accountId = message?.accountId ?? (await tx.one(ownerOf, { id: instanceId }))?.accountId
  if (accountId === undefined) return undefined
  const { numberId, businessId, recipient } = billing
  return {
    ...{ messageId, accountId, instanceId, numberId, businessId },
    campaignId: message?.campaignId ?? '',
    country: countryOf(recipient ?? message?.chat ?? ''),
    ...{ category: null, type: null, model: null, billable: null, certainty: 0, deliveredAtMs: null },
  }
}

function learn(known: PriceRow, { status, atMs, billing: { price } }: BilledStatus): PriceRow {
  const deliveredAtMs = status === 'sent' ? known.deliveredAtMs : Math.min(atMs, known.deliveredAtMs ?? atMs)
  if (price === null || CERTAINTY[status] <= known.certainty) return { ...known, deliveredAtMs }
  const { category, type, model, billable } = price
  const isBillable = billable === null ? null : billable ? 1 : 0
  return { ...known, deliveredAtMs, category, type, model, billable: isBillable, certainty: CERTAINTY[status] }
}

/** null: not counted yet. */
function placeOf(row: PriceRow): CountPlace | null {
  const { accountId, instanceId, campaignId, numberId, businessId, country, category, type, billable } = row
  if (row.deliveredAtMs === null || row.certainty === 0) return null
  const kind = kindOf({ type, billable: billable === null ? null : billable === 1 })
  const day = dayOfPrice(row.deliveredAtMs)
  return { accountId, day, instanceId, campaignId, numberId, businessId, country, category: category ?? '', kind }
}

function isSame<Row extends object>(one: Row, other: Row): boolean {
  return (Object.keys(one) as (keyof Row)[]).every((name) => one[name] === other[name])
}
