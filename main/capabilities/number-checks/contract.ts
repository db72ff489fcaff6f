import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Digits, List, Nullable, PageSize, Timestamp } from '../../contract/shapes.ts'

const STATES = ['running', 'paused', 'completed', 'canceled', 'failed'] as const
const WAITS = ['not_connected', 'restricted', 'daily_limit'] as const

const NumberCheck = Type.Object({
  check_id: Type.String({ pattern: '^nck_' }),
  state: Type.Enum([...STATES]),
  total: Type.Integer({ description: 'Different numbers.' }),
  asked: Type.Integer({ description: 'Numbers that WhatsApp has answered for. Nothing is known of the others yet.' }),
  on_whatsapp: Type.Integer(),
  not_on_whatsapp: Type.Integer(),
  waiting: Nullable(
    Type.Object(
      {
        reason: Type.Enum([...WAITS], {
          description: '`daily_limit`: as many numbers were asked about in 24 hours as is safe for this number.',
        }),
        until: Nullable(Timestamp),
      },
      { description: 'Why nothing is asked at the moment.' },
    ),
  ),
  ended_reason: Nullable(
    Type.Enum(['completed', 'canceled', 'signed_out', 'number_changed', 'engine_failed'], {
      description: '`signed_out` and `number_changed`: the instance lost the number that asked.',
    }),
  ),
  created_at: Timestamp,
  ended_at: Nullable(Timestamp),
})
export type NumberCheckView = Static<typeof NumberCheck>

const CheckedNumber = Type.Object({
  number: Digits,
  state: Type.Enum(['not_asked', 'on_whatsapp', 'not_on_whatsapp']),
  canonical: Nullable(
    Type.String({
      description: 'The number as WhatsApp writes it, which messages should go to.',
      examples: ['12025550123'],
    }),
  ),
  asked_at: Nullable(Timestamp),
})
export type CheckedNumber = Static<typeof CheckedNumber>

/** The columns of the CSV file. */
export const CSV_COLUMNS = ['number', 'state', 'canonical', 'asked_at'] as const

const Start = Body({
  numbers: Type.Array(Digits, {
    minItems: 1,
    maxItems: LIMITS.checkedNumbers,
    description: 'Numbers with country code, digits only. Repeated numbers are asked about once.',
  }),
})

const Patch = Body(
  {
    state: Type.Optional(
      Type.Enum(['running', 'paused', 'canceled'], {
        description: 'Pauses, resumes or cancels the check. What is known stays.',
      }),
    ),
  },
  { description: 'The state to change to.' },
)
export type NumberCheckPatch = Static<typeof Patch>

const Page = Type.Object({
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
})
export type PageQuery = Static<typeof Page>

const CHECK_ID = 'nck_01KCW8ZJ4N3Q7V0F5T2B9XEMRD'
const EXAMPLE = {
  check_id: CHECK_ID,
  state: 'running',
  total: 4_000,
  asked: 1_000,
  on_whatsapp: 812,
  not_on_whatsapp: 188,
  waiting: { reason: 'daily_limit', until: '2026-03-02T09:30:00.000Z' },
  ended_reason: null,
  created_at: '2026-03-01T09:30:00.000Z',
  ended_at: null,
} as const satisfies NumberCheckView

const common = { reach: 'instance', engine: 'smv2', origin: 'ours' } as const

export const numberChecksContract = {
  startNumberCheck: operation({
    ...common,
    id: 'startNumberCheck',
    effects: [],
    method: 'POST',
    path: '/v1/instances/{id}/number-checks',
    summary: 'Check which numbers are on WhatsApp',
    description:
      `Asks WhatsApp about up to ${LIMITS.checkedNumbers.toLocaleString('en')} numbers, in small portions: asking fast has had numbers banned. A live number asks ` +
      'about 20 numbers in 10 seconds, and in 24 hours about five for each message that it may send in a day, so a new ' +
      'number asks about few. While the number is restricted or not connected the check waits, and it survives restarts. ' +
      'It ends if the number signs out. Results stay for 30 days. An instance runs one check at a time; another is 409.',
    scope: 'instances:write',
    idempotencyKey: true,
    body: Start,
    reply: { status: 202, description: 'The check has begun.', schema: NumberCheck },
    errors: ['invalid_state', 'not_ready', 'idempotency_conflict', 'idempotency_in_progress'],
    examples: {
      body: { numbers: ['12025550123', '12025550124'] },
      reply: { ...EXAMPLE, total: 2, asked: 0, on_whatsapp: 0, not_on_whatsapp: 0, waiting: null },
    },
    tool: {
      ...{ name: 'start_number_check', title: 'Check which numbers are on WhatsApp', idempotent: false },
      onRequest: true,
    },
  }),

  listNumberChecks: operation({
    ...common,
    id: 'listNumberChecks',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/number-checks',
    summary: 'List checks of numbers',
    description: 'The checks of this instance, newest first. A check is removed 30 days after it ended.',
    scope: 'instances:read',
    query: Page,
    reply: { status: 200, description: 'A page of checks.', schema: List(NumberCheck) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [EXAMPLE], next_cursor: null, has_more: false } },
    tool: { ...{ name: 'list_number_checks', title: 'List checks of numbers', idempotent: true }, onRequest: true },
  }),

  getNumberCheck: operation({
    ...common,
    id: 'getNumberCheck',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/number-checks/{check_id}',
    summary: 'Read the progress of a check',
    description: 'How many numbers were asked about, and why the check waits, if it does.',
    scope: 'instances:read',
    reply: { status: 200, description: 'The check.', schema: NumberCheck },
    errors: ['not_found'],
    examples: { reply: EXAMPLE },
    tool: { ...{ name: 'get_number_check', title: 'Read the progress of a check', idempotent: true }, onRequest: true },
  }),

  listCheckedNumbers: operation({
    ...common,
    id: 'listCheckedNumbers',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/number-checks/{check_id}/numbers',
    summary: 'List the numbers of a check',
    description:
      'Each number with what WhatsApp said, in the order they were given; `not_asked` until it was asked. With ' +
      '`Accept: text/csv`, all of them as a file with the columns `number`, `state`, `canonical`, `asked_at`.',
    scope: 'instances:read',
    query: Page,
    reply: {
      status: 200,
      description: 'A page of numbers.',
      schema: List(CheckedNumber),
      csv: { example: `${CSV_COLUMNS.join(',')}\n` },
    },
    errors: ['not_found', 'invalid_cursor'],
    examples: {
      reply: {
        data: [
          {
            ...{ number: '12025550123', state: 'on_whatsapp', canonical: '12025550123' },
            asked_at: '2026-03-01T09:30:10.000Z',
          },
        ],
        next_cursor: null,
        has_more: false,
      },
    },
    tool: {
      ...{ name: 'list_checked_numbers', title: 'List the numbers of a check', idempotent: true },
      onRequest: true,
    },
  }),

  updateNumberCheck: operation({
    ...common,
    id: 'updateNumberCheck',
    effects: [],
    method: 'PATCH',
    path: '/v1/instances/{id}/number-checks/{check_id}',
    summary: 'Pause, resume or cancel a check',
    description: 'Takes effect after the portion that is being asked. A change that does not fit the state is 409.',
    scope: 'instances:write',
    body: Patch,
    reply: { status: 200, description: 'The check.', schema: NumberCheck },
    errors: ['not_found', 'invalid_state'],
    examples: { body: { state: 'paused' }, reply: { ...EXAMPLE, state: 'paused' } },
    tool: {
      ...{ name: 'update_number_check', title: 'Pause, resume or cancel a check', idempotent: true },
      onRequest: true,
    },
  }),
} as const satisfies Contract
