import { Type } from 'typebox'
import { operation, type Contract } from '../../contract/operation.ts'
import { SCOPE_WORDS, SCOPES } from '../../contract/scopes.ts'
import { Nullable, Timestamp, Uuid } from '../../contract/shapes.ts'

const Me = Type.Object({
  account: Type.Object({ id: Uuid, name: Type.String() }),
  scopes: Type.Array(Type.Enum([...SCOPE_WORDS]), {
    description: 'As the key was created: older words such as `instances:manage` stay, and equal their `:write` scope.',
  }),
  allowed_instance_ids: Nullable(
    Type.Array(Uuid, { description: 'The only instances this key reaches. null: all instances of the account.' }),
  ),
  key: Nullable(
    Type.Object({
      id: Uuid,
      name: Type.String(),
      last4: Type.String({ description: 'Last four characters of the key.' }),
      expires_at: Nullable(Timestamp),
    }),
  ),
})

export const accountContract = {
  getMe: operation({
    id: 'getMe',
    method: 'GET',
    path: '/v1/me',
    summary: 'Read the calling key',
    description:
      'The account the key belongs to, what the key may do (`scopes`) and where (`allowed_instance_ids`, null means ' +
      'all instances). Works with every valid key, whatever its scopes: a good first call to test a key.',
    scope: null,
    reach: 'key',
    origin: 'spec',
    reply: { status: 200, description: 'The account and the key.', schema: Me },
    errors: [],
    examples: {
      reply: {
        account: { id: '019b8d3e-7a10-7c3f-9b1e-2f6d5c4b3a21', name: 'My agency' },
        scopes: SCOPES.slice(0, 4),
        allowed_instance_ids: null,
        key: { id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30', name: 'CRM', last4: 'k3Zq', expires_at: null },
      },
    },
    tool: { name: 'get_me', title: 'Read the calling key', idempotent: true, openWorld: false },
  }),
} as const satisfies Contract
