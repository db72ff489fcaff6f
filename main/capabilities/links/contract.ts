import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, List, Nullable, PageSize, Timestamp, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    'access-links': true
  }
}

const LINK_STATES = ['open', 'used', 'expired', 'revoked', 'suspended'] as const

const Use = Type.Object({
  at: Timestamp,
  kind: Type.Enum(['opened', 'paired']),
  address: Nullable(Type.String({ description: 'IP address of the browser.' })),
  browser: Nullable(Type.String({ description: 'Such as `Chrome on Android`.' })),
})

export const AccessLink = Type.Object({
  id: Uuid,
  url_last4: Type.String({ description: 'The last four characters of the link. The link itself is stored nowhere.' }),
  permanent: Type.Boolean(),
  state: Type.Enum([...LINK_STATES], {
    description:
      '`used`: somebody paired with it, and it was not permanent. `suspended`: open again once the account is.',
  }),
  expires_at: Nullable(Timestamp),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  uses: Type.Integer({ description: 'How often its page was opened.' }),
})
export type AccessLink = Static<typeof AccessLink>
export type LinkState = (typeof LINK_STATES)[number]

const common = { scope: 'links:generate', reach: 'instance' } as const
const EXAMPLE = {
  ...{ id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30', url_last4: 'k3Zq', permanent: false, state: 'open' },
  ...{ expires_at: '2026-03-02T09:30:00.000Z', created_at: '2026-03-01T09:30:00.000Z', last_used_at: null, uses: 0 },
} as const

export const linksContract = {
  createAccessLink: operation({
    ...common,
    id: 'createAccessLink',
    effects: ['invitation'],
    method: 'POST',
    path: '/v1/instances/{id}/access-links',
    summary: 'Create an access link',
    description:
      'A page with your brand on which somebody connects the number: it shows the state, a live QR code and a pairing ' +
      'code, and can do nothing else. Unless `permanent`, it ends at its deadline or once somebody has paired. The link is ' +
      'only in this answer. It begins with `public_base_url`; without that setting it opens only on this computer or ' +
      'network, and `reachable` says so.',
    origin: 'spec',
    idempotencyKey: true,
    noStore: true,
    bodyOptional: true,
    body: Body({
      permanent: Type.Optional(Type.Boolean({ default: false })),
      expires_in: Type.Optional(
        Type.Integer({
          minimum: LIMITS.linkSecondsLeast,
          maximum: LIMITS.linkSeconds,
          description: `Seconds; default ${LIMITS.linkSecondsDefault}. Not with \`permanent\`.`,
        }),
      ),
    }),
    reply: {
      status: 201,
      description: 'The link.',
      schema: Type.Object({
        id: Uuid,
        url: Type.String({ format: 'uri' }),
        permanent: Type.Boolean(),
        expires_at: Nullable(Timestamp),
        created_at: Timestamp,
        reachable: Type.Enum(['everywhere', 'network', 'computer'], {
          description: 'Where it opens: `computer` and `network` mean that `public_base_url` is not set.',
        }),
      }),
    },
    errors: ['invalid_state'],
    examples: {
      body: { permanent: false, expires_in: 86_400 },
      reply: {
        ...{ id: EXAMPLE.id, url: 'https://connect.north.example/link/2o8Yk5sQ1xVb7nLr0mTfWc9eJhUaPzGdKi3Rt6Xk3Zq' },
        ...{
          permanent: false,
          expires_at: EXAMPLE.expires_at,
          created_at: EXAMPLE.created_at,
          reachable: 'everywhere',
        },
      },
    },
    tool: {
      ...{ name: 'create_access_link', title: 'Create an access link', idempotent: false },
      ...{ onRequest: true, redact: [] },
    },
  }),
  listAccessLinks: operation({
    ...common,
    id: 'listAccessLinks',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/access-links',
    summary: 'List access links',
    description: 'Newest first, those that have ended included.',
    origin: 'ours',
    query: Type.Object({
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of links.', schema: List(AccessLink) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [EXAMPLE], next_cursor: null, has_more: false } },
    tool: {
      name: 'list_access_links',
      title: 'List access links',
      idempotent: true,
      onRequest: true,
    },
  }),
  revokeAccessLink: operation({
    ...common,
    id: 'revokeAccessLink',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/access-links/{link_id}',
    summary: 'Revoke an access link',
    description: 'Its page shows what an unknown link shows, also where it is open. Repeating it changes nothing.',
    origin: 'ours',
    reply: { status: 204, description: 'Revoked.', schema: null },
    errors: [],
    examples: {},
    tool: null,
  }),
  listAccessLinkUses: operation({
    id: 'listAccessLinkUses',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/access-links/{link_id}/uses',
    summary: 'List who used an access link',
    description: 'When its page was opened and from where, and when somebody paired. The last 50, newest first.',
    ...{ scope: null, reach: 'instance', origin: 'ours', audience: 'console', role: 'member' },
    reply: { status: 200, description: 'The uses.', schema: Type.Object({ data: Type.Array(Use) }) },
    errors: [],
    examples: {
      reply: {
        data: [
          { at: '2026-03-01T09:30:00.000Z', kind: 'opened', address: '203.0.113.7', browser: 'Chrome on Android' },
        ],
      },
    },
    tool: null,
  }),
} as const satisfies Contract
