import { TRAITS } from '../../../main/contract/engine-traits.ts'
import type { Engine } from '../../../main/contract/shapes.ts'
import type { Reply } from '../../app/operation-types.ts'

type Safety = Reply<'getInstanceSafety'>

export interface Meter {
  readonly name: 'today' | 'hour' | 'people' | 'reached'
  readonly count: number
  /** null: no limit. */
  readonly limit: number | null
  /** Percent of the limit; what is sent over the API can go past it. */
  readonly share: number
  readonly color: 'primary' | 'warning'
}

/** From here on a meter warns. */
const NEARLY_FULL = 80

/** What a number has used of its budget. Meta limits the people an official number reaches and nothing else. */
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

/** Whether a reason keeps messages back now. The others explain a limit. */
export const isHold = (code: string): boolean => !NOTES.has(code)
