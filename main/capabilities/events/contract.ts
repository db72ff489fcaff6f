import { Type, type Static } from 'typebox'
import { EVENT_EXAMPLES } from '../../contract/event-examples.ts'
import { EVENT_TYPES, EventInstance } from '../../contract/events.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { List, PageSize, Timestamp, Uuid } from '../../contract/shapes.ts'

/** The envelope of account webhooks, so that one piece of code reads both. */
const Event = Type.Object({
  event_id: Type.String({ pattern: '^evt_', description: 'The same that webhooks send: deduplicate by it.' }),
  type: Type.Enum([...EVENT_TYPES]),
  attempt: Type.Literal(1, {
    description:
      'Always 1: nothing was delivered. It stands here so that the body of a webhook and this are one shape.',
  }),
  created_at: Timestamp,
  account_id: Uuid,
  instance: EventInstance,
  data: Type.Object(
    { occurred_at: Timestamp, sequence: Type.Integer({ description: 'Rises per instance.' }) },
    {
      additionalProperties: true,
      description: 'Depends on the type; each is described under `webhooks` of this document.',
    },
  ),
})
export type Event = Static<typeof Event>

const EventsQuery = Type.Object({
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only events recorded at this time or later, by the clock of the service.',
      examples: ['2026-03-01T09:30:00.000Z'],
    }),
  ),
  type: Type.Optional(Type.Enum([...EVENT_TYPES], { description: 'Only events of this type.' })),
  instance_id: Type.Optional(Type.String({ description: 'Only events of this instance, a deleted one included.' })),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page, with the same filters.' })),
  limit: Type.Optional(PageSize),
})
export type EventsQuery = Static<typeof EventsQuery>

const EXAMPLE = {
  event_id: 'evt_01KJM8R2B5K7M9P1Q3S5T7V9X0',
  type: 'message.received',
  attempt: 1,
  created_at: '2026-03-01T09:30:00.120Z',
  account_id: '0197f0c2-0000-7c51-9d2b-5f8e1a7c4b60',
  instance: {
    id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
    external_ref: 'customer-17',
    metadata: { plan: 'pro' },
    engine: 'smv2',
  },
  data: { ...EVENT_EXAMPLES['message.received'], occurred_at: '2026-03-01T09:30:00.000Z', sequence: 42 },
} satisfies Event

/** Ours: what a program reads that no webhook can reach. */
export const eventsContract = {
  listEvents: operation({
    id: 'listEvents',
    method: 'GET',
    path: '/v1/events',
    summary: 'List events',
    description: [
      `What happened to the instances of the account, newest first: the same events, in the same envelope, that account webhooks receive, whether or not there is a webhook. For programs behind a firewall, and to look at what a webhook missed. Filters narrow the list together. An event is kept for ${LIMITS.eventDays} days at least. Test events of a webhook are not here.`,
      '**To poll and miss nothing**, keep the `event_id` of the newest event you have handled, not a time:',
      '1. Ask for the first page, with your filters and without `cursor`.\n' +
        '2. Keep its first `event_id` aside. Read on with `next_cursor`, until you meet the `event_id` you kept the last time, or `has_more` is false.\n' +
        '3. Handle what came before it in the list, the last one first: that is the order in which it was recorded.\n' +
        '4. What you set aside in step 2 is what you keep now. Wait some seconds, and begin again.',
      'New events are only ever added in front, and a cursor stays where it is while they are, so no page repeats or skips one. If you crash between handling and keeping, you meet events again: deduplicate by `event_id`, as with webhooks. Use `since` for the very first read, or when you were away longer than you want to catch up with.',
    ].join('\n\n'),
    scope: 'webhooks:read',
    reach: 'webhooks',
    origin: 'ours',
    query: EventsQuery,
    reply: { status: 200, description: 'A page of events.', schema: List(Event) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [EXAMPLE], next_cursor: null, has_more: false } },
    tool: {
      name: 'list_events',
      title: 'List events',
      description: 'What happened to the instances, newest first, whether or not there is a webhook.',
      idempotent: true,
      openWorld: false,
      untrusted: true,
    },
  }),

  getEvent: operation({
    id: 'getEvent',
    method: 'GET',
    path: '/v1/events/{event_id}',
    summary: 'Read an event',
    description:
      'One event by its `event_id`, for example one that a receiver could not read. 404 once it is no longer kept.',
    scope: 'webhooks:read',
    reach: 'webhooks',
    origin: 'ours',
    reply: { status: 200, description: 'The event.', schema: Event },
    errors: [],
    examples: { reply: EXAMPLE },
    tool: { name: 'get_event', title: 'Read an event', idempotent: true, openWorld: false, untrusted: true },
  }),
} as const satisfies Contract
