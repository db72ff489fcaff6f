import type { CallStatus, VoiceCall } from '../../../main/contract/voice.ts'
import type { Item } from '../../app/operation-types.ts'

export type CallRow = Item<'listAllVoiceCalls'>
export type LiveCall = Item<'listLiveVoiceCalls'>

interface Style {
  readonly color: 'neutral' | 'info' | 'success' | 'warning' | 'error' | 'primary'
  readonly icon: string
}

export const CALL_STYLES = {
  scheduled: { color: 'info', icon: 'i-lucide-calendar-clock' },
  dialing: { color: 'primary', icon: 'i-lucide-phone-outgoing' },
  ringing: { color: 'primary', icon: 'i-lucide-bell-ring' },
  in_progress: { color: 'success', icon: 'i-lucide-audio-lines' },
  completed: { color: 'success', icon: 'i-lucide-circle-check' },
  no_answer: { color: 'warning', icon: 'i-lucide-phone-missed' },
  busy: { color: 'warning', icon: 'i-lucide-phone-off' },
  rejected: { color: 'warning', icon: 'i-lucide-phone-off' },
  failed: { color: 'error', icon: 'i-lucide-circle-x' },
  canceled: { color: 'neutral', icon: 'i-lucide-ban' },
} as const satisfies Record<CallStatus, Style>

export const STATUSES = Object.keys(CALL_STYLES) as readonly CallStatus[]
export const DIRECTIONS = ['inbound', 'outbound'] as const
export const DIRECTION_ICONS = { inbound: 'i-lucide-phone-incoming', outbound: 'i-lucide-phone-outgoing' } as const

type Person = Pick<VoiceCall, 'direction' | 'to_number' | 'from_number'>

/** The other party; null for a visitor of a web page, or a hidden number. */
export const personNumber = ({ direction, to_number, from_number }: Person): string | null =>
  direction === 'outbound' ? to_number : from_number

export const isLive = ({ status }: Pick<VoiceCall, 'status'>): boolean =>
  status === 'dialing' || status === 'ringing' || status === 'in_progress'

/** Its actual or scheduled time. */
export const timeOf = ({ started_at, scheduled_at }: Pick<VoiceCall, 'started_at' | 'scheduled_at'>): string =>
  started_at ?? scheduled_at

export type Step = 'scheduled' | 'started' | 'answered' | 'ended'

/** Events of a call, in order. A call that started immediately was not scheduled. */
export function courseOf(call: VoiceCall): readonly { readonly step: Step; readonly at: string }[] {
  const { created_at, scheduled_at, started_at, answered_at, ended_at } = call
  const waited = Date.parse(scheduled_at) - Date.parse(created_at) > SOON_MS
  const steps: readonly (readonly [Step, string | null])[] = [
    ['scheduled', waited ? scheduled_at : null],
    ['started', started_at],
    ['answered', answered_at],
    ['ended', ended_at],
  ]
  return steps.flatMap(([step, at]) => (at === null ? [] : [{ step, at }]))
}

const SOON_MS = 1_000
