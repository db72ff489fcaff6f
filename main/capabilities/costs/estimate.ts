import type { CostTotals } from '../../contract/costs.ts'
import type { Db } from '../../kernel/db.ts'
import { allowanceOf, type RateCard } from './rate-card.ts'
import { addPriced, newSum, totalsOf } from './report.ts'
import { chargedInMonth } from './store.ts'

/** Unsent messages of one kind. */
export interface PlannedMessages {
  /** ISO 3166; '' for an unknown one. */
  readonly country: string
  /** As named by the network; null: unknown. */
  readonly category: string | null
  readonly messages: number
}

/** Cost of what each number would send. @param day `YYYY-MM-DD`, UTC: the day of the rates and of the allowance. */
export async function estimateOf(
  db: Pick<Db, 'readOne'>,
  card: RateCard,
  day: string,
  numbers: ReadonlyMap<string, readonly PlannedMessages[]>,
): Promise<CostTotals> {
  const month = day.slice(0, 7)
  const sum = newSum()
  for (const [numberId, planned] of numbers) {
    const left = new Map<string, number>()
    for (const { country, category, messages } of planned) {
      if (messages === 0) continue
      const name = category ?? ''
      const free = left.get(name) ?? (await leftOf(name))
      const allowed = Math.min(free, messages)
      left.set(name, free - allowed)
      const kind = category === null ? 'unknown' : 'charged'
      addPriced(sum, { country, category: name, day, kind, messages }, allowed, card)
    }

    async function leftOf(category: string): Promise<number> {
      const whole = allowanceOf(category, month)
      if (whole === 0) return 0
      const span = { numberId, category, from: `${month}-01`, to: `${month}-31` }
      return Math.max(0, whole - ((await db.readOne(chargedInMonth, span))?.messages ?? 0))
    }
  }
  return totalsOf(sum)
}
