import type { Event } from '../../../main/capabilities/events/contract.ts'

/** Consecutive equal events, shown as one line. */
export interface RecentLine {
  /** The newest event of the line. */
  readonly event: Event
  readonly times: number
  /** The time of the oldest event of the line. */
  readonly since: string
  /** True if the events concern several numbers. */
  readonly isOfSeveral: boolean
  /** The chat of all events; empty if they concern several chats. */
  readonly chat: string
}

/** Events without action by a person. They are grouped across numbers, because only the type is of interest. */
const ROUTINE: ReadonlySet<Event['type']> = new Set(['instance.qr.updated', 'instance.connecting', 'instance.updated'])
const PROGRESS: ReadonlySet<Event['type']> = new Set([
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
])

const textOf = ({ data }: Event, name: string): string => {
  const value = (data as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' ? value : ''
}
const chatOf = (event: Event): string => textOf(event, 'chat')

/** @param events newest first. */
export function recentLines(events: readonly Event[], most: number): RecentLine[] {
  const lines: RecentLine[] = []
  /** Messages whose latest state already has a line. */
  const told = new Set<string>()
  for (const event of events) {
    const message = PROGRESS.has(event.type) ? textOf(event, 'message_id') : ''
    if (message !== '' && told.has(message)) continue
    if (message !== '') told.add(message)
    const last = lines.at(-1)
    if (last !== undefined && isSame(last.event, event)) {
      const isOfSeveral = last.isOfSeveral || last.event.instance.id !== event.instance.id
      const chat = last.chat === chatOf(event) ? last.chat : ''
      lines[lines.length - 1] = { event: last.event, times: last.times + 1, since: event.created_at, isOfSeveral, chat }
    } else if (lines.length === most) break
    else lines.push({ event, times: 1, since: event.created_at, isOfSeveral: false, chat: chatOf(event) })
  }
  return lines
}

const isSame = (one: Event, other: Event): boolean =>
  one.type === other.type &&
  (ROUTINE.has(one.type) ||
    (one.instance.id === other.instance.id && (PROGRESS.has(one.type) || chatOf(one) === chatOf(other))))
