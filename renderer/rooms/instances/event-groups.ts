import type { Event } from '../../../main/capabilities/events/contract.ts'
import { numberText } from '../../parts/number-text.ts'

/** The word of an event is `instances.event.<type>`, its dots as underscores. */
export const eventKey = (type: string): string => type.replaceAll('.', '_')

/** The event of a session that ended says in its data whether the number was banned. */
export const isBan = ({ type, data }: Pick<Event, 'type' | 'data'>): boolean =>
  type === 'instance.auth_failed' && ['banned', 'temporary_ban'].includes(reasonOf(data))

const reasonOf = (data: Event['data']): string => {
  const { reason } = data as { readonly reason?: unknown }
  return typeof reason === 'string' ? reason : ''
}

/**
 * Who or what an event is about, where that says more than its name; why something ended or failed is a code.
 * @param personText how a person is shown, by their digits.
 */
export function describeEvent(
  { type, data }: Pick<Event, 'type' | 'data'>,
  personText: (digits: string) => string = numberText,
): {
  text?: string
  reason?: string
  failure?: string
} {
  const text = (name: string) => {
    const value = (data as Record<string, unknown>)[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const number = (name: string, shown = numberText) => {
    const value = text(name)
    return value !== undefined && /^\d{7,15}$/.test(value) ? shown(value) : value
  }
  const person = (name: string) => number(name, personText)
  const said = (value: string | undefined) => (value === undefined ? {} : { text: value })
  if (type === 'message.received') return said([person('from'), text('text')].filter(Boolean).join(' · ') || undefined)
  if (type === 'message.failed') {
    const failure = (data as { readonly error?: { readonly code: string } | null }).error?.code
    return { ...said(person('to')), ...(failure !== undefined && { failure }) }
  }
  if (type.startsWith('message.')) return said(person('to') ?? person('chat'))
  if (type === 'instance.connected') return said(number('number'))
  const reason = text('reason')
  return (type === 'instance.disconnected' || type === 'instance.auth_failed') && reason !== undefined ? { reason } : {}
}

export interface EventGroup {
  /** The newest of them. */
  readonly event: Event
  readonly times: number
  /** When the first of them was. */
  readonly since: string
}

/** Equal events that follow each other are one line: new codes, and messages of one chat. @param events newest first. */
export function groupEvents(events: readonly Event[]): EventGroup[] {
  const lines: EventGroup[] = []
  for (const event of events) {
    const last = lines.at(-1)
    const since = event.data.occurred_at
    if (last && sameness(last.event) === sameness(event))
      lines[lines.length - 1] = { event: last.event, times: last.times + 1, since }
    else lines.push({ event, times: 1, since })
  }
  return lines
}

/** Of events that say the same: of messages their chat and why they failed, and not what they say. */
function sameness({ type, data }: Event): string {
  const { chat } = data as { readonly chat?: unknown }
  const about = typeof chat === 'string' && type !== 'message.failed' ? chat : describeEvent({ type, data })
  return JSON.stringify([type, about])
}
