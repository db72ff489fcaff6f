import type { LineEvent } from '../../contract/line-events.ts'
import type { Person } from './callback-items.ts'
import { groupName } from './group-id.ts'
import { digitsOf, recordAt, recordsAt, textAt, type Json } from './json.ts'

const JOIN_REQUESTS = { group_join_request_created: 'requested', group_join_request_revoked: 'withdrawn' } as const

const MEMBER_LISTS = { added_participants: 'add', removed_participants: 'remove' } as const

/** Webhook events for what a callback reports about a group, apart from outcomes of requests. */
export async function groupEvents(value: Json, nameOf: (person: Person) => Promise<string>): Promise<LineEvent[]> {
  const group_id = groupName(textAt(value, 'group_id') ?? '')
  const isFailed = recordsAt(value, 'errors').length > 0 && recordsAt(value, 'removed_participants').length === 0
  if (group_id === null || isFailed) return []
  const subject = textAt(value, 'subject')
  if (textAt(value, 'type') === 'group_create' && subject !== null)
    return [{ type: 'group.joined', data: { group_id, by: null, subject, participants: [] } }]
  const joinRequest = JOIN_REQUESTS[textAt(value, 'type') as keyof typeof JOIN_REQUESTS] as
    | (typeof JOIN_REQUESTS)[keyof typeof JOIN_REQUESTS]
    | undefined
  const events: LineEvent[] = []
  const asking = personIn(value)
  if (joinRequest !== undefined && (asking.number !== null || asking.userId !== null)) {
    const by = await nameOf(asking)
    const data = { group_id, by, action: joinRequest, participants: [by] }
    events.push({ type: 'group.join_requests_changed', data })
  }
  for (const [list, action] of Object.entries(MEMBER_LISTS)) {
    const people = recordsAt(value, list).map(personIn)
    const named = people.filter(({ number, userId }) => number !== null || userId !== null)
    if (named.length === 0) continue
    const participants = await Promise.all(named.map(nameOf))
    events.push({ type: 'group.participants_changed', data: { group_id, by: null, action, participants } })
  }
  const changes = {
    ...changed(recordAt(value, 'group_subject'), (text) => ({ subject: text })),
    ...changed(recordAt(value, 'group_description'), (text) => ({ description: text })),
  }
  if (Object.keys(changes).length > 0) events.push({ type: 'group.updated', data: { group_id, by: null, changes } })
  return events
}

function changed<T extends object>(part: Json, toChange: (text: string) => T): T | undefined {
  const text = textAt(part, 'text')
  return text === null || part['update_successful'] === false ? undefined : toChange(text)
}

function personIn(entry: Json): Person {
  const digits = digitsOf(textAt(entry, 'wa_id') ?? textAt(entry, 'input') ?? '')
  return { number: /^\d{7,15}$/.test(digits) ? digits : null, userId: textAt(entry, 'user_id') }
}
