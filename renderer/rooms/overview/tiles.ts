import type { InstanceRecord } from '../../../main/contract/instance.ts'
import { groupOf, type Group } from '../instances/filter.ts'

type Tally = Readonly<Record<Group | 'connected', number>>

/** Counts every number once, in its group. */
export function tally(records: readonly InstanceRecord[]): Tally {
  const counts = { connected: 0, waiting: 0, troubled: 0 }
  for (const record of records) counts[groupOf(record)]++
  return counts
}
