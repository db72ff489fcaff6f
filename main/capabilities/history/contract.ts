import { Type, type Static } from 'typebox'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Nullable, Timestamp } from '../../contract/shapes.ts'

const STATES = ['none', 'running', 'paused', 'completed', 'failed', 'canceled'] as const

const HistoryImport = Type.Object({
  state: Type.Enum([...STATES], { description: '`none`: nothing was imported yet.' }),
  days: Nullable(Type.Integer({ description: 'How many days back the import goes.' })),
  since: Nullable(Timestamp),
  chats: Type.Object({
    total: Type.Integer({ description: 'Chats that are imported.' }),
    done: Type.Integer({ description: 'Chats that are complete.' }),
  }),
  messages: Type.Integer({ description: 'Messages that were new here.' }),
  source: Nullable(
    Type.Enum(['phone', 'messages'], {
      description:
        '`phone`: the chats that the phone named when it was paired, and those with a message here. `messages`: only chats with a message here, because the phone named none; pair it again to import all.',
    }),
  ),
  failure: Nullable(Type.String({ description: 'Why the import failed.' })),
  started_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
})
export type HistoryImportView = Static<typeof HistoryImport>

const Start = Body({
  days: Type.Integer({ minimum: 1, maximum: 3_650, description: 'How many days back, from now.', examples: [90] }),
})

const Patch = Body(
  {
    state: Type.Optional(
      Type.Enum(['running', 'paused', 'canceled'], {
        description: 'Pauses, resumes or cancels the import. What was imported stays.',
      }),
    ),
  },
  { description: 'The state to change to.' },
)
export type HistoryImportPatch = Static<typeof Patch>

const EXAMPLE = {
  state: 'running',
  days: 90,
  since: '2025-10-07T12:00:00.000Z',
  chats: { total: 120, done: 31 },
  messages: 2_210,
  source: 'phone',
  failure: null,
  started_at: '2026-01-05T12:00:00.000Z',
  ended_at: null,
} as const satisfies HistoryImportView

const common = { path: '/v1/instances/{id}/history-import', reach: 'instance', engine: 'smv2', origin: 'ours' } as const

export const historyContract = {
  startHistoryImport: operation({
    ...common,
    id: 'startHistoryImport',
    effects: [],
    method: 'POST',
    summary: 'Import earlier messages',
    description:
      'Imports the messages of the last days from the phone, chat by chat, and the names of the chats. Imported messages ' +
      'are in the chats but cause no event, and none of them counts as unread. Files are fetched when they are opened. ' +
      'The phone must be online and decides how far back it goes: WhatsApp names the chats of a number only while it is ' +
      'paired, and `source` says whether it has. The import survives restarts and waits while the instance is not ' +
      'connected. 409 while an import runs, while the instance is not connected, and on the sandbox network.',
    scope: 'instances:write',
    body: Start,
    reply: { status: 202, description: 'The import has begun.', schema: HistoryImport },
    errors: ['invalid_state', 'not_ready'],
    examples: { body: { days: 90 }, reply: { ...EXAMPLE, chats: { total: 0, done: 0 }, messages: 0 } },
    tool: {
      ...{ name: 'start_history_import', title: 'Import earlier messages', idempotent: false },
      onRequest: true,
    },
  }),

  getHistoryImport: operation({
    ...common,
    id: 'getHistoryImport',
    effects: [],
    method: 'GET',
    summary: 'Read the progress of an import',
    description: 'Returns the latest import of earlier messages of this instance.',
    scope: 'instances:read',
    reply: { status: 200, description: 'The import.', schema: HistoryImport },
    errors: [],
    examples: { reply: EXAMPLE },
    tool: {
      ...{ name: 'get_history_import', title: 'Read the progress of an import', idempotent: true },
      onRequest: true,
    },
  }),

  updateHistoryImport: operation({
    ...common,
    id: 'updateHistoryImport',
    effects: [],
    method: 'PATCH',
    summary: 'Pause, resume or cancel an import',
    description: 'Takes effect after the chat that is being asked for. A change that does not fit the state is 409.',
    scope: 'instances:write',
    body: Patch,
    reply: { status: 200, description: 'The import.', schema: HistoryImport },
    errors: ['invalid_state'],
    examples: { body: { state: 'paused' }, reply: { ...EXAMPLE, state: 'paused' } },
    tool: {
      ...{ name: 'update_history_import', title: 'Pause, resume or cancel an import', idempotent: true },
      onRequest: true,
    },
  }),
} as const satisfies Contract
