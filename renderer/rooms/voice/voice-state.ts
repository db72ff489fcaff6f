import type { InstanceRecord } from '../../../main/contract/instance.ts'
import type { VoiceStatus } from '../../../main/contract/voice.ts'
import type { Item, Reply } from '../../app/operation-types.ts'

export type VoiceRow = Item<'listVoiceInstances'>
type Ways = Reply<'listVoiceInstances'>['ways']
type Way = Ways[keyof Ways]

/** How a number makes calls, or why it cannot. */
export function wayOf(
  { network, engine }: Pick<InstanceRecord, 'network' | 'engine'>,
  ways: Ways,
  row?: VoiceRow,
): Way {
  if (network === 'sandbox') return ways.sandbox
  return row?.has_trunk === true ? ways.sip : ways[engine]
}

export type PlanState = 'off' | 'trial' | 'used_up' | 'package'

/** The voice plan of a number. A number that never had voice has no row. */
export function planOf(row: Pick<VoiceStatus, 'enabled' | 'unlimited' | 'remaining'> | undefined): PlanState {
  if (row?.enabled !== true) return 'off'
  if (row.unlimited) return 'package'
  return (row.remaining ?? 0) > 0 ? 'trial' : 'used_up'
}

export const PLAN_COLOR = {
  off: 'neutral',
  trial: 'primary',
  used_up: 'warning',
  package: 'success',
} as const satisfies Record<PlanState, string>
