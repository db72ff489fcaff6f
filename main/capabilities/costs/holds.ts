import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { shiftDate } from '../../kernel/time-zone.ts'
import { addToSum, holdOf, holdsBefore, insertHold, removeHold, type HoldRow } from './budget-store.ts'
import { dayOfPrice } from './price.ts'

/** The network drops a message that is undelivered by then, and does not charge for it. */
const HELD_DAYS = 30

export const heldSince = (nowMs: number): string => shiftDate(dayOfPrice(nowMs), -HELD_DAYS)

/** A message that is about to be sent. */
interface HeldMessage {
  /** Its Idempotency-Key. */
  readonly sendKey: string
  readonly accountId: string
  readonly campaignId: string
  readonly country: string
  /** As named by the network; null: unknown. */
  readonly category: string | null
}

const placeOf = ({ accountId, campaignId, day, country, category }: HoldRow) =>
  ({ accountId, campaignId, day, country, category: category ?? '', kind: 'held' }) as const

/** Runs in the commit that learns the price, or that the network will not charge. Repeating it is harmless. */
export async function releaseHold(tx: Tx, sendKey: string): Promise<void> {
  const hold = await tx.one(holdOf, { sendKey })
  if (hold === undefined || (await tx.run(removeHold, { sendKey })) === 0) return
  await tx.run(addToSum, { ...placeOf(hold), messages: -1 })
}

/** Campaign messages without a reported price. They count towards budgets at their expected price. */
export function createHolds({
  db,
  clock,
}: {
  readonly db: Pick<Db, 'read' | 'commit'>
  readonly clock: Pick<Clock, 'now'>
}) {
  return {
    /** Runs in the commit that decides to send the message. */
    async hold(tx: Tx, message: HeldMessage): Promise<void> {
      const row = { ...message, day: dayOfPrice(clock.now()) }
      if ((await tx.run(insertHold, row)) > 0) await tx.run(addToSum, { ...placeOf(row), messages: 1 })
    },
    release: releaseHold,

    /** Removes a portion of the expired ones. @returns how many. */
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
