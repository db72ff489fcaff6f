import { Type, type Static } from 'typebox'
import { NUMBER, USER_ID } from '../../contract/addresses.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, List, PageSize } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    blocked: true
  }
}

const BlockedPerson = Type.Object({
  phone: Type.String({
    description:
      'The number of the person, digits only; of somebody who hides it, the id that the network has for them.',
    examples: ['12025550123'],
  }),
})
export type BlockedPerson = Static<typeof BlockedPerson>

const BlockBody = Body({
  phone: Type.String({
    pattern: `^(?:${NUMBER}|${USER_ID})$`,
    description: 'The number of the person with country code, 7 to 15 digits only, or a hidden id from an event.',
    examples: ['12025550123'],
  }),
})

const BlockedQuery = Type.Object({
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
})
export type BlockedQuery = Static<typeof BlockedQuery>

const PATH = '/v1/instances/{id}/blocked'
const common = { reach: 'instance', origin: 'ours', waitsForEngine: true } as const
const ASKING = [
  'engine_mismatch',
  'not_ready',
  'upstream_unavailable',
  'upstream_timeout',
  'service_unavailable',
] as const
const EXAMPLE = { phone: '12025550123' } as const

/** The block list of a number. The network stores it. */
export const blocksContract = {
  listBlocked: operation({
    ...common,
    id: 'listBlocked',
    effects: [],
    method: 'GET',
    path: PATH,
    summary: 'List blocked people',
    description:
      'Whom this number has blocked, on its phone or from here. The network keeps the list: it is the same for every ' +
      'device of the number.',
    scope: 'messages:read',
    query: BlockedQuery,
    reply: { status: 200, description: 'A page of people.', schema: List(BlockedPerson) },
    errors: [...ASKING, 'invalid_state', 'invalid_cursor'],
    examples: { reply: { data: [EXAMPLE], next_cursor: null, has_more: false } },
    tool: { name: 'list_blocked', title: 'List blocked people', onRequest: true, idempotent: true },
  }),

  blockPerson: operation({
    ...common,
    id: 'blockPerson',
    effects: ['removal'],
    method: 'POST',
    path: PATH,
    summary: 'Block a person',
    description:
      'They can no longer write to this number or call it, and are not told. Blocking somebody again changes nothing. ' +
      'On the official engine, only people who have written to the number in the last 24 hours can be blocked (131047), ' +
      'at most 64,000 (139101), and a message to a blocked person is refused: 409 `invalid_state` says why, and nothing ' +
      'is changed.',
    scope: 'messages:send',
    body: BlockBody,
    reply: { status: 201, description: 'The person is blocked.', schema: BlockedPerson },
    errors: [...ASKING, 'invalid_state', 'rate_limited'],
    examples: { body: EXAMPLE, reply: EXAMPLE },
    tool: { name: 'block_person', title: 'Block a person', onRequest: true, idempotent: true },
  }),

  unblockPerson: operation({
    ...common,
    id: 'unblockPerson',
    effects: ['access'],
    method: 'DELETE',
    path: `${PATH}/{phone}`,
    summary: 'Unblock a person',
    description: 'They can write to this number again. Unblocking somebody who is not blocked changes nothing.',
    scope: 'messages:send',
    reply: { status: 204, description: 'The person is not blocked.', schema: null },
    errors: [...ASKING, 'invalid_state', 'rate_limited'],
    examples: {},
    tool: { name: 'unblock_person', title: 'Unblock a person', onRequest: true, idempotent: true },
  }),
} as const satisfies Contract
