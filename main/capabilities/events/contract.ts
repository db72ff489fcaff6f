import { Type, type Static } from 'typebox'
import { EVENT_EXAMPLES } from '../../contract/event-examples.ts'
import { EVENT_TYPES, EventInstance } from '../../contract/events.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { List, PageSize, Timestamp, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    events: true
  }
}

/** The envelope of account webhooks, so that the same code can read both. */
const Event = Type.Object({
  event_id: Type.String({ pattern: '^evt_', description: 'The same id as in webhooks. Use it to deduplicate.' }),
  type: Type.Enum([...EVENT_TYPES]),
  attempt: Type.Literal(1, {
    description: 'Always 1. Present so that this has the same shape as a webhook body.',
  }),
  created_at: Timestamp,
  account_id: Uuid,
  instance: EventInstance,
  data: Type.Object(
    { occurred_at: Timestamp, sequence: Type.Integer({ description: 'Increases with each event of the instance.' }) },
    {
      additionalProperties: true,
      description: 'Depends on the type. See `webhooks` in this document.',
    },
  ),
})
export type Event = Static<typeof Event>

const EventsQuery = Type.Object({
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only events recorded at or after this time, by the clock of the service.',
      examples: ['2026-03-01T09:30:00.000Z'],
    }),
  ),
  type: Type.Optional(Type.Enum([...EVENT_TYPES], { description: 'Only events of this type.' })),
  instance_id: Type.Optional(Type.String({ description: 'Only events of this instance. It may be deleted.' })),
  network: Type.Optional(
    Type.Enum(['live', 'sandbox'], { description: 'Only events of existing instances on this network.' }),
  ),
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

/** For programs that a webhook cannot reach. */
export const eventsContract = {
  listEvents: operation({
    id: 'listEvents',
    effects: [],
    method: 'GET',
    path: '/v1/events',
    summary: 'List events',
    description: [
      `Events of the account’s instances, newest first: the same events, in the same envelope, that account webhooks receive, whether or not you have a webhook. Use it behind a firewall, or to check what a webhook missed. Filters are combined. Events are kept for at least ${LIMITS.eventDays} days. Test events of a webhook are not listed.`,
      '**To poll without missing events**, remember the `event_id` of the newest event you handled, not a time:',
      '1. Get the first page, with your filters and without `cursor`.\n' +
        '2. Note its first `event_id`. Keep reading with `next_cursor` until you find the `event_id` you saved last time, or `has_more` is false.\n' +
        '3. Handle the events listed before it, last one first: that is the order in which they were recorded.\n' +
        '4. Save the `event_id` from step 2. Wait a few seconds and start over.',
      'New events are only added at the front, and a cursor keeps its position while they are, so no page repeats or skips an event. If you crash after handling an event and before saving its id, you will see it again: deduplicate by `event_id`, as with webhooks. Use `since` for the first read, or after being away for longer than you want to catch up.',
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
      description: 'Events of the instances, newest first, whether or not there is a webhook.',
      idempotent: true,
      untrusted: true,
    },
  }),

  getEvent: operation({
    id: 'getEvent',
    effects: [],
    method: 'GET',
    path: '/v1/events/{event_id}',
    summary: 'Get an event',
    description:
      'Returns one event by its `event_id`, for example one that your receiver could not process. 404 once it is ' +
      'no longer kept.',
    scope: 'webhooks:read',
    reach: 'webhooks',
    origin: 'ours',
    reply: { status: 200, description: 'The event.', schema: Event },
    errors: [],
    examples: { reply: EXAMPLE },
    tool: { name: 'get_event', title: 'Get an event', idempotent: true, untrusted: true },
  }),
} as const satisfies Contract
