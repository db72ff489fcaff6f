import type { CampaignRisk } from '../../contract/campaign.ts'
import type { Fault } from './render.ts'
import { warning } from './risks.ts'

interface Place {
  readonly phone: string
  /** Row in the list, from 1. */
  readonly row: number
  readonly variation: number
}

/** Counts recipients whose message cannot be sent, and keeps the worst example. */
export function createFaultTally() {
  const worst = new Map<Fault['reason'], { readonly place: Place; readonly fault: Fault; readonly count: number }>()
  return {
    add(place: Place, fault: Fault | undefined): void {
      if (fault === undefined) return
      const known = worst.get(fault.reason)
      const count = (known?.count ?? 0) + 1
      const isWorse = known === undefined || fault.length > known.fault.length
      worst.set(fault.reason, isWorse ? { place, fault, count } : { ...known, count })
    },

    /** @param looked how many of the `total` recipients were checked. */
    risks(looked: number, total: number): CampaignRisk[] {
      return [...worst].map(([reason, { place, fault, count }]) => {
        const { phone, row, variation } = place
        const { length, limit } = fault
        const ofWhom = looked < total ? `the first ${looked}` : `${total}`
        const what =
          reason === 'too_long'
            ? `With the longest options, ${count} of ${ofWhom} people get a message that is too long and are skipped.`
            : `${count} of ${ofWhom} people have no value where the message needs one and are skipped.`
        const example = `${reason === 'too_long' ? 'The longest' : 'The first'}: row ${row}, ${phone}, messages ${variation}. ${fault.message}`
        const params = { count, looked, row, phone, variation, length, limit }
        return warning(reason, 'recipients', `${what} ${example}`, params)
      })
    },
  }
}
