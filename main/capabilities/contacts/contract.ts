import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, CSV_TYPES, ImportResult, List, Nullable, PageSize, Timestamp, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    contacts: true
  }
}

const Phone = Type.String({
  minLength: 4,
  maxLength: 40,
  description:
    'The number in any spelling. Without a country code it is read as a number of the country in the settings of contacts.',
  examples: ['12025550123'],
})
const Name = Nullable(
  Type.String({
    minLength: 1,
    maxLength: LIMITS.contactNameLength,
    description: 'Wins over the name in the person’s profile. `null`: use that one.',
  }),
)
const Tags = Type.Array(
  Type.String({ minLength: 1, maxLength: LIMITS.tagLength, pattern: '^\\S(.*\\S)?$', examples: ['customer'] }),
  { maxItems: LIMITS.contactTags, uniqueItems: true },
)
const OptedOut = Type.Boolean({
  description:
    'Whether the person wants no campaigns and follow-ups of the account. Agents and people still answer them. `GET /v1/opt-outs` says who decided it, when, and from which message.',
})

const ContactRecord = Type.Object({
  phone: Type.String({ description: 'Digits with country code; the id of a person who hides their number.' }),
  name: Nullable(Type.String()),
  identities: Type.Array(
    Type.Object({
      kind: Type.Enum(['phone', 'lid', 'bsuid', 'username'], {
        description:
          '`lid` and `bsuid` are the ids by which WhatsApp and Meta’s Cloud API know people who hide their number. `username` is the name that the person has chosen, which can change.',
      }),
      value: Type.String(),
    }),
    { description: 'Everything the person is known by, the number first.' },
  ),
  tags: Type.Array(Type.String()),
  opted_out: OptedOut,
  last_inbound_at: Nullable(Timestamp),
  last_outbound_at: Nullable(Timestamp),
  instances: Type.Array(
    Type.Object({
      instance_id: Uuid,
      last_inbound_at: Nullable(Timestamp),
      last_outbound_at: Nullable(Timestamp),
    }),
    { description: 'The instances that the person wrote with. Times are at most a minute behind.' },
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type ContactRecord = Static<typeof ContactRecord>

const EXAMPLE = {
  phone: '12025550123',
  name: 'Ada Lovelace',
  identities: [{ kind: 'phone', value: '12025550123' }],
  tags: ['customer'],
  opted_out: false,
  last_inbound_at: '2026-03-01T09:30:00.000Z',
  last_outbound_at: null,
  instances: [
    {
      instance_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
      last_inbound_at: '2026-03-01T09:30:00.000Z',
      last_outbound_at: null,
    },
  ],
  created_at: '2026-03-01T09:30:00.000Z',
  updated_at: '2026-03-01T09:30:00.000Z',
} as const

const Changes = {
  name: Type.Optional(Name),
  tags: Type.Optional(Tags),
  opted_out: Type.Optional(OptedOut),
}

const common = { reach: 'account', origin: 'ours' } as const
const face = { onRequest: true } as const
const CsvBody = { types: CSV_TYPES, maxBytes: LIMITS.importBytes } as const

export const contactsContract = {
  listContacts: operation({
    ...common,
    id: 'listContacts',
    effects: [],
    method: 'GET',
    path: '/v1/contacts',
    summary: 'List contacts',
    description:
      'The people who wrote to a number of the account, whom it wrote to, and those that were added. Newest first; with `q`, by what matches. A search looks through 10,000 people at a time, so a page can have few or none of them while `has_more` is true.',
    scope: 'dispatch:read',
    query: Type.Object({
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description:
            'The beginnings of words of the name, the first or last digits of the number, or the beginning of a username after an `@`.',
        }),
      ),
      tag: Type.Optional(
        Type.String({ minLength: 1, maxLength: LIMITS.tagLength, description: 'Only those with this tag.' }),
      ),
      phone: Type.Optional(
        Type.String({
          minLength: 4,
          maxLength: 40,
          description: 'Only the contact who has this number. Finds it in every spelling.',
        }),
      ),
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of contacts.', schema: List(ContactRecord) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [EXAMPLE], next_cursor: null, has_more: false } },
    tool: { ...face, name: 'list_contacts', title: 'List contacts', idempotent: true, untrusted: true },
  }),

  listContactNames: operation({
    ...common,
    id: 'listContactNames',
    effects: [],
    method: 'GET',
    path: '/v1/contact-names',
    audience: 'console',
    scope: null,
    role: 'member',
    tool: null,
    summary: 'List names of people',
    description:
      'For screens that know people by their number or hidden id. People of whom nothing else is known are left out.',
    query: Type.Object({
      phones: Type.String({
        minLength: 1,
        maxLength: 6_500,
        pattern: '^[^,]{1,64}(?:,[^,]{1,64}){0,99}$',
        description: 'Numbers and hidden ids, separated by commas; at most 100.',
      }),
    }),
    reply: {
      status: 200,
      description: 'Their names.',
      schema: Type.Object({
        data: Type.Array(
          Type.Object({
            phone: Type.String({ description: 'As it was asked for.' }),
            name: Nullable(Type.String()),
            number: Nullable(Type.String({ description: 'Digits; null: the person hides it.' })),
            username: Nullable(Type.String()),
          }),
        ),
      }),
    },
    errors: [],
    examples: {
      reply: { data: [{ phone: '12025550123', name: 'Ana Souza', number: '12025550123', username: null }] },
    },
  }),

  createContact: operation({
    ...common,
    id: 'createContact',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/contacts',
    summary: 'Add a contact',
    description:
      'Adds a person, or changes the one who has the number: 200 then. Fields that are not given stay as they are.',
    scope: 'dispatch:manage',
    body: Body({ phone: Phone, ...Changes }),
    reply: {
      status: 201,
      description: 'The new contact.',
      also: { status: 200, description: 'The contact existed, and has the new fields.' },
      schema: ContactRecord,
    },
    errors: ['storage_full'],
    examples: { body: { phone: '12025550123', name: 'Ada Lovelace', tags: ['customer'] }, reply: EXAMPLE },
    tool: { ...face, name: 'create_contact', title: 'Add a contact', idempotent: true, untrusted: true },
  }),

  getContact: operation({
    ...common,
    id: 'getContact',
    effects: [],
    method: 'GET',
    path: '/v1/contacts/{phone}',
    summary: 'Read a contact',
    description: 'The contact who has this number, with the instances that the person wrote with.',
    scope: 'dispatch:read',
    reply: { status: 200, description: 'The contact.', schema: ContactRecord },
    errors: [],
    examples: { reply: EXAMPLE },
    tool: { ...face, name: 'get_contact', title: 'Read a contact', idempotent: true, untrusted: true },
  }),

  updateContact: operation({
    ...common,
    id: 'updateContact',
    effects: ['people_later'],
    method: 'PATCH',
    path: '/v1/contacts/{phone}',
    summary: 'Change a contact',
    description: 'Changes the fields that are given. `tags` replaces all tags.',
    scope: 'dispatch:manage',
    body: Body(Changes),
    reply: { status: 200, description: 'The updated contact.', schema: ContactRecord },
    errors: [],
    examples: { body: { tags: ['customer'] }, reply: EXAMPLE },
    tool: { ...face, name: 'update_contact', title: 'Change a contact', idempotent: true, untrusted: true },
  }),

  deleteContact: operation({
    ...common,
    id: 'deleteContact',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/contacts/{phone}',
    summary: 'Remove a contact',
    description:
      'Removes name, tags and the times of the last messages. Messages and opt-outs stay. Whoever writes again is a contact again. ' +
      'Meta is asked to delete the person from its contact book for every official number of the account, until it answers; ' +
      'if it refuses, the health of the number says so (`contact_book_kept`).',
    scope: 'dispatch:manage',
    reply: { status: 204, description: 'Removed.', schema: null },
    errors: [],
    examples: {},
    tool: { ...face, name: 'delete_contact', title: 'Remove a contact', idempotent: true },
  }),

  importContacts: operation({
    ...common,
    id: 'importContacts',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/contact-imports',
    summary: 'Import contacts',
    description:
      'Adds or changes a contact for each row of a CSV file, separated by comma, semicolon or tab. Its first line names the columns. Name a column by its name, or by its position as `#2`. Rows without a number that exists are listed in `problems` and left out; the others are imported. Tags are added to those that a contact has.',
    scope: 'dispatch:manage',
    query: Type.Object({
      phone: Type.Optional(
        Type.String({
          maxLength: 200,
          description:
            'The column of the numbers. Default: `phone`, or what it is called elsewhere: `Telefone`, `Celular`, `WhatsApp Number`.',
        }),
      ),
      name: Type.Optional(
        Type.String({ maxLength: 200, description: 'The column of the names. Default: `name`, if there is one.' }),
      ),
      tags: Type.Optional(
        Type.String({
          maxLength: 200,
          description:
            'The column of the tags, separated by comma, semicolon or bar. Default: `tags`, if there is one.',
        }),
      ),
      tag: Type.Optional(
        Type.String({ minLength: 1, maxLength: LIMITS.tagLength, description: 'A tag that every row gets.' }),
      ),
    }),
    bodyFile: CsvBody,
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

  listContactTags: operation({
    ...common,
    id: 'listContactTags',
    effects: [],
    method: 'GET',
    path: '/v1/contact-tags',
    summary: 'List tags of contacts',
    description: 'Every tag that a contact has, with how many have it.',
    scope: 'dispatch:read',
    reply: {
      status: 200,
      description: 'The tags, by name. At most 500.',
      schema: Type.Object({ data: Type.Array(Type.Object({ tag: Type.String(), contacts: Type.Integer() })) }),
    },
    errors: [],
    examples: { reply: { data: [{ tag: 'customer', contacts: 812 }] } },
    tool: { ...face, name: 'list_contact_tags', title: 'List tags of contacts', idempotent: true },
  }),

  previewCsv: operation({
    id: 'previewCsv',
    effects: [],
    method: 'POST',
    path: '/v1/csv-previews',
    summary: 'Read the columns of a CSV file',
    description: 'Reads the header and the first rows of a file, or of its beginning, and stores nothing.',
    scope: null,
    reach: 'account',
    origin: 'ours',
    audience: 'console',
    role: 'member',
    bodyFile: CsvBody,
    reply: {
      status: 200,
      description: 'The columns in their order.',
      schema: Type.Object({
        delimiter: Type.String(),
        columns: Type.Array(Type.Object({ name: Type.String(), samples: Type.Array(Type.String()) })),
      }),
    },
    errors: [],
    examples: { reply: { delimiter: ';', columns: [{ name: 'Telefone', samples: ['5511912345678'] }] } },
    tool: null,
  }),
} as const satisfies Contract
