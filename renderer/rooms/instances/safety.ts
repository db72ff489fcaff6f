import { TRAITS } from '../../../main/contract/engine-traits.ts'
import type { Engine } from '../../../main/contract/shapes.ts'
import type { Reply } from '../../app/operation-types.ts'

type Safety = Reply<'getInstanceSafety'>

export interface Meter {
  readonly name: 'today' | 'hour' | 'people' | 'reached'
  readonly count: number
  /** null: no limit. */
  readonly limit: number | null
  /** Percentage of the limit that was used. Messages sent over the API can exceed the limit. */
  readonly share: number
  readonly color: 'primary' | 'warning'
}

/** A meter shows a warning from this percentage on. */
const NEARLY_FULL = 80

/** How much of its budget a number has used. For official numbers, Meta limits only how many people they reach. */
export function metersOf({ today, hour }: Safety, engine: Engine): Meter[] {
  return [
    meter('today', today.sent, today.limit),
    meter('hour', hour.sent, hour.limit),
    meter(TRAITS[engine].sharesLimit ? 'reached' : 'people', today.first_contacts, today.first_contacts_limit),
  ]
}

function meter(name: Meter['name'], count: number, limit: number | null): Meter {
  const share = limit === null ? 0 : limit === 0 ? 100 : Math.min(100, (count * 100) / limit)
  return { name, count, limit, share, color: share >= NEARLY_FULL ? 'warning' : 'primary' }
}

const NOTES = new Set(['warm_up', 'quality_medium', 'messaging_limit_unknown'])

/** Whether a reason currently holds messages back. Other reasons only explain a limit. */
export const isHold = (code: string): boolean => !NOTES.has(code)
