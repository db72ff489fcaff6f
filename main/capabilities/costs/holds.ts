import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { shiftDate } from '../../kernel/time-zone.ts'
import { addToSum, holdOf, holdsBefore, insertHold, removeHold, type HoldRow } from './budget-store.ts'
import { dayOfPrice } from './price.ts'

/** A message that was not delivered by then is dropped by the network, and not charged. */
const HELD_DAYS = 30

export const heldSince = (nowMs: number): string => shiftDate(dayOfPrice(nowMs), -HELD_DAYS)

/** What is about to be sent. */
interface HeldMessage {
  /** Its Idempotency-Key. */
  readonly sendKey: string
  readonly accountId: string
  readonly campaignId: string
  readonly country: string
  /** In the words of the network; null: unknown. */
  readonly category: string | null
}

const placeOf = ({ accountId, campaignId, day, country, category }: HoldRow) =>
  ({ accountId, campaignId, day, country, category: category ?? '', kind: 'held' }) as const

/** In the commit that knows that the network will not charge for it, or what it charges. Harmless when repeated. */
export async function releaseHold(tx: Tx, sendKey: string): Promise<void> {
  const hold = await tx.one(holdOf, { sendKey })
  if (hold === undefined || (await tx.run(removeHold, { sendKey })) === 0) return
  await tx.run(addToSum, { ...placeOf(hold), messages: -1 })
}

/** Messages of campaigns whose price is not reported yet. They count for budgets at their expected price. */
export function createHolds({
  db,
  clock,
}: {
  readonly db: Pick<Db, 'read' | 'commit'>
  readonly clock: Pick<Clock, 'now'>
}) {
  return {
    /** In the commit that decides to send it. */
    async hold(tx: Tx, message: HeldMessage): Promise<void> {
      const row = { ...message, day: dayOfPrice(clock.now()) }
      if ((await tx.run(insertHold, row)) > 0) await tx.run(addToSum, { ...placeOf(row), messages: 1 })
    },
    release: releaseHold,

    /** Removes a portion of those that are too old. @returns how many. */
    async expire(rows: number): Promise<number> {
      const old = await db.read(holdsBefore, { day: heldSince(clock.now()), rows })
      if (old.length > 0)
        await db.commit(async (tx) => {
          for (const { sendKey } of old) await releaseHold(tx, sendKey)
        })
      return old.length
    },
  }
}
