import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, CSV_TYPES, ImportResult, List, Nullable, PageSize, Timestamp, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    'opt-outs': true
  }
}

const OPT_OUT_SOURCES = ['keyword', 'button', 'meta', 'crm', 'person', 'api', 'import'] as const
export type OptOutSource = (typeof OPT_OUT_SOURCES)[number]

const Scope = Type.Union([Type.Literal('account'), Uuid], {
  description:
    '`account`: no campaign or follow-up of the account writes to the number. An instance id: only this instance does not.',
})

const Phone = Type.String({
  minLength: 4,
  maxLength: 40,
  description:
    'The number in any spelling. Without a country code it is read as a number of the country in the settings of contacts.',
  examples: ['12025550123'],
})

const OptOutRecord = Type.Object({
  phone: Type.String({ description: 'Digits with country code.' }),
  scope: Scope,
  source: Type.Enum([...OPT_OUT_SOURCES], {
    description:
      '`keyword`: the person wrote a word such as STOP. `button`: they tapped a button that opts out. `meta`: they stopped marketing messages in their app. `crm`: “do not disturb” in a CRM. `person`: somebody in the window. `api`: a program or an assistant. `import`: a file.',
  }),
  note: Nullable(Type.String({ description: 'For `keyword` and `button`, what the person wrote or tapped.' })),
  message_id: Nullable(
    Type.String({
      description: 'The message that it came from. `null`: it came from none, or is older than this field.',
    }),
  ),
  message_instance_id: Nullable(Type.String({ description: 'The instance of that message.' })),
  created_at: Timestamp,
})
export type OptOutRecord = Static<typeof OptOutRecord>

const EXAMPLE = {
  phone: '12025550123',
  scope: 'account',
  source: 'keyword',
  note: 'STOP',
  message_id: 'msg_01KCW8ZJ4N3Q7V0F5T2B9XEMRD',
  message_instance_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
  created_at: '2026-03-01T09:30:00.000Z',
} as const satisfies OptOutRecord

const Question = Type.Object({
  instance_id: Uuid,
  chat: Type.String({ description: 'The number of the person, or the id of somebody who hides it.' }),
  message_id: Type.String({ description: 'The message that may ask for no more campaigns. Answer with it.' }),
  text: Type.String({ description: 'Empty if it was lost with a damaged database.' }),
  created_at: Timestamp,
})
export type QuestionRecord = Static<typeof Question>

const QUESTION_EXAMPLE = {
  instance_id: EXAMPLE.message_instance_id,
  chat: EXAMPLE.phone,
  message_id: EXAMPLE.message_id,
  text: 'Cancelar',
  created_at: EXAMPLE.created_at,
} as const satisfies QuestionRecord

const Word = Type.String({ minLength: 1, maxLength: 40 })
const Words = Type.Array(Word, { maxItems: 50 })
const Buttons = Type.Array(Word, {
  maxItems: 50,
  description:
    'Titles or ids of buttons and list rows that opt out when somebody taps them. Case and accents are ignored. Meta’s own “Stop promotions” always does.',
})
const Keywords = Type.Object({
  language: Type.String({ pattern: '^[a-z]{2}$' }),
  stop: Type.Array(Type.String(), {
    description: 'A message that is one of these, alone or with politeness around it, opts the person out.',
  }),
  start: Type.Array(Type.String(), {
    description: 'A message that is one of these, alone, lifts an opt-out by a word.',
  }),
  maybe: Type.Array(Type.String(), {
    description:
      'A message that is one of these asks a person in the Inbox, as does a stop word inside a longer message.',
  }),
  is_default: Type.Boolean({ description: 'Nobody has changed the words of this language.' }),
})

const Settings = Type.Object({
  country: Nullable(Type.String({ description: 'Of numbers without a country code. `null`: they are refused.' })),
  keywords: Type.Array(Keywords),
  buttons: Buttons,
  countries: Type.Array(Type.String(), { description: 'Every country that can be chosen.' }),
})
export type Settings = Static<typeof Settings>

const SETTINGS_EXAMPLE = {
  country: 'BR',
  keywords: [{ language: 'pt', stop: ['SAIR', 'PARAR'], start: ['INSCREVER'], maybe: ['CANCELAR'], is_default: false }],
  buttons: ['Não quero mais'],
  countries: ['BR', 'PT', 'US'],
}

const ofTheConsole = {
  scope: null,
  reach: 'account',
  origin: 'ours',
  audience: 'console',
  role: 'member',
  path: '/v1/opt-out-settings',
  tool: null,
} as const

export const optOutsContract = {
  listOptOuts: operation({
    id: 'listOptOuts',
    effects: [],
    method: 'GET',
    path: '/v1/opt-outs',
    summary: 'List opt-outs',
    description:
      'Everybody who wants no campaigns and follow-ups, newest first, with who decided it, when, and from which message. Agents and people still answer them. A restricted key sees those of the account and of its instances.',
    scope: 'dispatch:read',
    reach: 'instances',
    origin: 'ours',
    query: Type.Object({
      phone: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'Only those of this number.' })),
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of opt-outs.', schema: List(OptOutRecord) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [EXAMPLE], next_cursor: null, has_more: false } },
    tool: {
      name: 'list_opt_outs',
      title: 'List opt-outs',
      idempotent: true,
      onRequest: true,
      untrusted: true,
    },
  }),

  createOptOut: operation({
    id: 'createOptOut',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/opt-outs',
    summary: 'Opt a number out',
    description: [
      'Keeps campaigns and follow-ups from writing to a number. Campaigns look when they take a recipient up and again when they send. Agents still answer when the person writes, and a message that you send yourself is not held back. Repeating the call answers 200 with the opt-out there is.',
      'People do this themselves: whoever sends one of the stop words of the account (STOP, SAIR, PARAR, BAJA and others, alone or with politeness around it) is opted out of the account. One of the start words (START, QUERO RECEBER, DARME DE ALTA and others, alone) lifts what a word of theirs did, and nothing that a button, a person, a CRM, Meta, an import or a program did. Buttons and list rows that somebody taps count as neither, except those that you declare and the one that Meta puts under marketing messages. Words such as CANCELAR, and stop words inside a longer message, opt nobody out: see `GET /v1/opt-out-questions`.',
      'A restricted key must name one of its instances as `scope`.',
    ].join('\n\n'),
    scope: 'dispatch:manage',
    reach: 'instances',
    origin: 'ours',
    body: Body({
      phone: Phone,
      scope: Type.Optional(Type.Union([Type.Literal('account'), Uuid], { default: 'account' })),
      note: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.noteLength, description: 'For people.' })),
    }),
    reply: {
      status: 201,
      description: 'The number is opted out.',
      also: { status: 200, description: 'It was opted out already.' },
      schema: OptOutRecord,
    },
    errors: ['not_found', 'key_restricted', 'storage_full'],
    examples: {
      body: { phone: '12025550123', note: 'Asked on the phone' },
      reply: { ...EXAMPLE, source: 'api', note: 'Asked on the phone' },
    },
    tool: { name: 'create_opt_out', title: 'Opt a number out', idempotent: true, onRequest: true },
  }),

  deleteOptOut: operation({
    id: 'deleteOptOut',
    effects: ['people_later'],
    method: 'DELETE',
    path: '/v1/opt-outs/{phone}',
    summary: 'Lift an opt-out',
    description:
      'Campaigns and follow-ups may write to the number again. Only do this if the person asked for it. A restricted key lifts those of its instances.',
    scope: 'dispatch:manage',
    reach: 'instances',
    origin: 'ours',
    query: Type.Object({
      scope: Type.Optional(
        Type.String({
          maxLength: 40,
          description: '`account` or an instance id. Without it, every opt-out of the number is lifted.',
        }),
      ),
    }),
    reply: { status: 204, description: 'Lifted.', schema: null },
    errors: [],
    examples: {},
    // Only a person may decide this.
    tool: null,
  }),

  importOptOuts: operation({
    id: 'importOptOuts',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/opt-out-imports',
    summary: 'Import opt-outs',
    description:
      'Opts out every number of a CSV file, for the whole account. Its first line names the columns. Rows without a number that exists are listed in `problems` and left out; the others are imported.',
    scope: 'dispatch:manage',
    reach: 'account',
    origin: 'ours',
    query: Type.Object({
      phone: Type.Optional(
        Type.String({ maxLength: 200, description: 'The column of the numbers. Default: `phone`.' }),
      ),
      note: Type.Optional(
        Type.String({ maxLength: 200, description: 'The column of notes. Default: `note`, if there is one.' }),
      ),
    }),
    bodyFile: { types: CSV_TYPES, maxBytes: LIMITS.importBytes },
    reply: { status: 200, description: 'What was imported.', schema: ImportResult },
    errors: ['storage_full'],
    examples: {
      reply: {
        rows: 3,
        created: 2,
        updated: 0,
        duplicates: 0,
        invalid: 1,
        problems: [{ line: 4, phone: '123', reason: 'invalid_number' }],
      },
    },
    // A tool call cannot carry a file.
    tool: null,
  }),

  listOptOutQuestions: operation({
    id: 'listOptOutQuestions',
    effects: [],
    method: 'GET',
    path: '/v1/opt-out-questions',
    summary: 'List possible opt-outs',
    description:
      'Messages that may ask for no more campaigns, newest first, one for each chat: a word such as CANCELAR, or a stop word inside a longer message. They opt nobody out until a person decides, in the Inbox or with the next call. A question ends when it is answered, when the person is opted out or sends a start word, or after 30 days. A restricted key sees those of its instances.',
    scope: 'dispatch:read',
    reach: 'instances',
    origin: 'ours',
    query: Type.Object({
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of messages.', schema: List(Question) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [QUESTION_EXAMPLE], next_cursor: null, has_more: false } },
    tool: null,
  }),

  answerOptOutQuestion: operation({
    id: 'answerOptOutQuestion',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/instances/{id}/opt-out-questions/{message_id}',
    summary: 'Decide a possible opt-out',
    description:
      'Says whether a message of `GET /v1/opt-out-questions` asked for no more campaigns. `true` opts the person out of the account; a restricted key, of this instance. With `false`, the same words of this person do not ask again for 30 days. A message that asks nothing, or no longer, is 404.',
    scope: 'dispatch:manage',
    reach: 'instance',
    origin: 'ours',
    body: Body({
      chat: Type.String({ minLength: 1, maxLength: 64, description: '`chat` of the question.' }),
      opt_out: Type.Boolean({ description: 'Whether the person wants no more campaigns.' }),
    }),
    reply: { status: 204, description: 'Decided.', schema: null },
    errors: ['not_found', 'storage_full'],
    examples: { body: { chat: QUESTION_EXAMPLE.chat, opt_out: true } },
    // Only a person may decide this.
    tool: null,
  }),

  getOptOutSettings: operation({
    ...ofTheConsole,
    id: 'getOptOutSettings',
    effects: [],
    method: 'GET',
    summary: 'Read the words that opt out',
    description:
      'The words of each language that opt out, in or ask a person, the buttons that opt out, and the country of numbers without a country code.',
    reply: { status: 200, description: 'The settings.', schema: Settings },
    errors: [],
    examples: { reply: SETTINGS_EXAMPLE },
  }),

  updateOptOutSettings: operation({
    ...ofTheConsole,
    id: 'updateOptOutSettings',
    effects: ['people_later'],
    method: 'PATCH',
    summary: 'Change the words that opt out',
    description:
      'Replaces the words of the languages that are named, and the buttons if they are given. `null` brings the words of the product back.',
    body: Body({
      country: Type.Optional(Nullable(Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166.' }))),
      keywords: Type.Optional(
        Type.Array(
          Body({
            language: Type.String({ pattern: '^[a-z]{2}$' }),
            words: Nullable(Body({ stop: Words, start: Words, maybe: Type.Optional(Words) })),
          }),
          { minItems: 1, maxItems: 40 },
        ),
      ),
      buttons: Type.Optional(Buttons),
    }),
    reply: { status: 200, description: 'The settings.', schema: Settings },
    errors: [],
    examples: {
      body: { country: 'BR', keywords: [{ language: 'pt', words: { stop: ['SAIR', 'PARAR'], start: ['INSCREVER'] } }] },
      reply: SETTINGS_EXAMPLE,
    },
  }),
} as const satisfies Contract

export type SettingsPatch = Static<typeof optOutsContract.updateOptOutSettings.body>
