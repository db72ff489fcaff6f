import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { List, Nullable, PageSize, Timestamp } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    'audit-log': true
  }
}

const ACTORS = ['operator', 'member', 'key', 'service'] as const
export const AUDIT_COLUMNS = [
  ...([
    'at',
    'actor',
    'actor_id',
    'actor_name',
    'via',
    'operation',
    'summary',
    'subject_id',
    'fields',
    'subject_name',
  ] as const),
] as const

const Entry = Type.Object({
  id: Type.String(),
  at: Timestamp,
  actor: Type.Enum([...ACTORS], {
    description:
      '`operator`: the owner of this Switchboard, also where they work in a client’s account. What an agency does to a ' +
      'client from its own account has this actor in the log of the client, without the name of a person or key.',
  }),
  actor_id: Nullable(Type.String({ description: 'The member or the key, of this account.' })),
  actor_name: Type.String(),
  via: Type.Enum(['window', 'api', 'mcp']),
  operation: Type.String({ description: 'Id of the operation.' }),
  summary: Type.String({ description: 'What it does, in English.' }),
  subject_id: Nullable(Type.String({ description: 'What it was done to.' })),
  subject_name: Nullable(Type.String({ description: 'What was changed, as it was called then.' })),
  fields: Type.Array(Type.String(), { description: 'Names of the fields that were sent; never their values.' }),
})
export type AuditEntry = Static<typeof Entry>

export const auditContract = {
  listAuditLog: operation({
    id: 'listAuditLog',
    effects: [],
    method: 'GET',
    path: '/v1/audit-log',
    summary: 'List what people and keys changed',
    description:
      `Every act that changed something in the account, newest first: who, what and when. Kept for ${LIMITS.auditDays} days. ` +
      'Messages are not in it. With `Accept: text/csv`, all of it as CSV.',
    ...{ scope: null, reach: 'account', origin: 'ours', audience: 'console', role: 'member' },
    query: Type.Object({
      actor: Type.Optional(Type.Enum([...ACTORS])),
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: {
      status: 200,
      description: 'A page of acts.',
      schema: List(Entry),
      csv: { example: AUDIT_COLUMNS.join(',') },
    },
    errors: ['invalid_cursor'],
    examples: {
      reply: {
        data: [
          {
            ...{ id: '481', at: '2026-03-01T09:30:00.000Z', actor: 'member', actor_name: 'Ana Souza', via: 'window' },
            ...{ actor_id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30', operation: 'nameOfTheOperation' },
            ...{
              summary: 'Create an instance',
              subject_id: '019b8d40-3c1e-7a52-8f63-1d2c3b4a5968',
              subject_name: 'Front desk',
              fields: ['name'],
            },
          },
        ],
        next_cursor: null,
        has_more: false,
      },
    },
    tool: null,
  }),
} as const satisfies Contract
