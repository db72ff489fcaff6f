import type { Event } from '../../../main/capabilities/events/contract.ts'
import { numberText } from '../../parts/number-text.ts'

/** The text key of an event is `instances.event.<type>`, with underscores instead of dots. */
export const eventKey = (type: string): string => type.replaceAll('.', '_')

/** The data of a `disconnected` event says whether the number was banned. */
export const isBan = ({ type, data }: Pick<Event, 'type' | 'data'>): boolean =>
  type === 'instance.auth_failed' && ['banned', 'temporary_ban'].includes(reasonOf(data))

const reasonOf = (data: Event['data']): string => {
  const { reason } = data as { readonly reason?: unknown }
  return typeof reason === 'string' ? reason : ''
}

/**
 * The person, chat or reason that an event is about, if it adds to the event's name. Reasons for a failure are shown
 * as codes.
 * @param personText formats a person by the digits of their phone number.
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
  /** The newest event of the group. */
  readonly event: Event
  readonly times: number
  /** The time of the oldest event of the group. */
  readonly since: string
}

/**
 * Groups consecutive equal events into one line: new QR codes, and messages of one chat. @param events newest first.
 */
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

/** Events with the same value are equal. Messages are compared by chat and failure reason, not by text. */
function sameness({ type, data }: Event): string {
  const { chat } = data as { readonly chat?: unknown }
  const about = typeof chat === 'string' && type !== 'message.failed' ? chat : describeEvent({ type, data })
  return JSON.stringify([type, about])
}
