import type { Event } from '../../../main/capabilities/events/contract.ts'
import { numberText } from '../../parts/number-text.ts'

/** The word of an event is `instances.event.<type>`, its dots as underscores. */
export const eventKey = (type: string): string => type.replaceAll('.', '_')

/** Who or what an event is about, where that says more than its name; why something ended or failed is a code. */
export function describeEvent({ type, data }: Pick<Event, 'type' | 'data'>): {
  text?: string
  reason?: string
  failure?: string
} {
  const text = (name: string) => {
    const value = (data as Record<string, unknown>)[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const number = (name: string) => {
    const value = text(name)
    return value !== undefined && /^\d{7,15}$/.test(value) ? numberText(value) : value
  }
  const said = (value: string | undefined) => (value === undefined ? {} : { text: value })
  if (type === 'message.received') return said([number('from'), text('text')].filter(Boolean).join(' · ') || undefined)
  if (type === 'message.failed') {
    const failure = (data as { readonly error?: { readonly code: string } | null }).error?.code
    return { ...said(number('to')), ...(failure !== undefined && { failure }) }
  }
  if (type.startsWith('message.')) return said(number('to') ?? number('chat'))
  if (type === 'instance.connected') return said(number('number'))
  const reason = text('reason')
  return (type === 'instance.disconnected' || type === 'instance.auth_failed') && reason !== undefined ? { reason } : {}
}

export interface EventGroup {
  readonly event: Event
  readonly times: number
}

/** New codes come one after the other and say nothing new: a run of them is one line. */
export function groupEvents(events: readonly Event[]): EventGroup[] {
  const lines: EventGroup[] = []
  for (const event of events) {
    const last = lines.at(-1)
    if (last && event.type === 'instance.qr.updated' && last.event.type === event.type)
      lines[lines.length - 1] = { event: last.event, times: last.times + 1 }
    else lines.push({ event, times: 1 })
  }
  return lines
}
