import { Type } from 'typebox'
import { operation, type Contract } from '../../contract/operation.ts'
import { Nullable, Timestamp } from '../../contract/shapes.ts'

const Count = Type.Integer({ minimum: 0 })
const Limit = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: `${description} null: no limit.` })

const SafetyView = Type.Object({
  paired_days: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'Full days since this number was first paired. null: no number was paired yet.',
  }),
  today: Type.Object({
    sent: Type.Integer({ minimum: 0, description: 'Messages accepted for sending today, those of the API included.' }),
    limit: Limit('How many campaigns and AI agents may bring that to.'),
    first_contacts: Type.Integer({
      minimum: 0,
      description:
        '`smv2`: people written to today with whom the instance had never exchanged a message. `official`: `used` of `messaging_limit`.',
    }),
    first_contacts_limit: Limit('How many campaigns and AI agents may bring that to.'),
  }),
  hour: Type.Object({ sent: Count, limit: Limit('As for the day.') }),
  messaging_limit: Nullable(
    Type.Object(
      {
        tier: Nullable(Type.String({ description: 'As Meta names it, such as `TIER_2K`. null: Meta does not say.' })),
        limit: Type.Union([Count, Type.Null()], {
          description: 'People who may be reached in 24 hours. null: no limit, which applies only to `TIER_UNLIMITED`.',
        }),
        used: Type.Integer({
          minimum: 0,
          description:
            'Different people reached in the last 24 hours by any number of the portfolio. People who wrote in the 24 hours before the message do not count.',
        }),
        portfolio_id: Nullable(
          Type.String({
            description: 'Meta’s id. null: Meta does not say; then the numbers of a WhatsApp account share the limit.',
          }),
        ),
        source: Type.Enum(['number', 'callback', 'last_known', 'default'], {
          description:
            'Where `limit` is from: Meta’s answer about a number, a callback of Meta, what it said before it stopped saying, or the limit of a new business because it has never said one.',
        }),
        as_of: Nullable(Timestamp),
      },
      { description: '`official` on the live network only: the limit that all numbers of a Meta portfolio share.' },
    ),
  ),
  new_chats: Nullable(
    Type.Object(
      {
        used: Count,
        limit: Type.Integer({
          minimum: 1,
          description: 'When it is reached, only people who know the number are written to.',
        }),
        until: Timestamp,
      },
      {
        description:
          '`smv2` on the live network only: how many new chats WhatsApp lets the number start until then. null: it sets no limit.',
      },
    ),
  ),
  restriction: Nullable(
    Type.Object(
      { active: Type.Boolean(), kind: Type.String(), until: Nullable(Timestamp) },
      { description: 'A limit the network put on the number, as in its health. null: none.' },
    ),
  ),
  reasons: Type.Array(
    Type.Object({
      code: Type.String({ description: 'For example `restricted`, `daily_limit` or `warm_up`.' }),
      message: Type.String({ description: 'What is so, and what to do.' }),
      until: Nullable(Timestamp),
    }),
    { description: 'Why the number sends less than it could, the worst first.' },
  ),
})

export const safetyContract = {
  getInstanceSafety: operation({
    id: 'getInstanceSafety',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/safety',
    summary: 'Get the safety budget',
    description: [
      'How much the number has sent, how much campaigns and AI agents may still send from it, and why. One budget per number is shared by everything that sends on its own. Messages sent over the API are counted and never held back.',
      'The limits of `smv2` numbers rise with the days since the first pairing. They are settings (`safety.*`) whose values come from community experience: WhatsApp publishes no such rules. An `official` number shares the messaging limit of its Meta portfolio with the other numbers of it. What the network says narrows a budget immediately: a restriction, its own limit of new chats, a ban, a low quality rating, or Meta withholding messages. Sandbox instances have no limits. Days and hours begin in the time zone `safety.timezone`.',
    ].join('\n\n'),
    scope: 'instances:read',
    reach: 'instance',
    origin: 'ours',
    reply: { status: 200, description: 'The budget.', schema: SafetyView },
    errors: [],
    examples: {
      reply: {
        paired_days: 3,
        today: { sent: 38, limit: 50, first_contacts: 12, first_contacts_limit: 38 },
        hour: { sent: 9, limit: 80 },
        messaging_limit: null,
        new_chats: { used: 12, limit: 100, until: '2026-03-31T00:00:00.000Z' },
        restriction: null,
        reasons: [
          {
            code: 'warm_up',
            message:
              'This number is new, so campaigns and AI agents send at most 50 messages a day from it. The limit rises until the number is 10 days old. Use it for ordinary chats until then.',
            until: '2026-03-08T09:30:00.000Z',
          },
        ],
      },
    },
    tool: {
      name: 'get_instance_safety',
      title: 'Get the safety budget',
      idempotent: true,
      onRequest: true,
    },
  }),
} as const satisfies Contract
