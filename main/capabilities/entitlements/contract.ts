import { Type } from 'typebox'
import { FEATURES } from '../../contract/features.ts'
import { operation, type Contract } from '../../contract/operation.ts'

export const entitlementsContract = {
  getEntitlements: operation({
    id: 'getEntitlements',
    effects: [],
    method: 'GET',
    path: '/v1/entitlements',
    summary: 'Read what the account may use',
    description: 'Slots, features and voice packages: the settings, and what was granted to the account.',
    scope: null,
    reach: 'account',
    origin: 'ours',
    audience: 'console',
    role: 'member',
    reply: {
      status: 200,
      description: 'What the account may use.',
      schema: Type.Object({
        slots: Type.Object({
          total: Type.Integer(),
          used: Type.Integer({ description: 'Own instances, and the slots given to sub-accounts.' }),
          free: Type.Integer(),
        }),
        features: Type.Array(Type.Enum([...FEATURES])),
        voice_packages: Type.Integer(),
        frozen: Type.Boolean({ description: 'The account owes money: what costs money is refused.' }),
        suspended: Type.Boolean({ description: 'The agency suspended the account: it sends nothing.' }),
        client: Type.Boolean({ description: 'The account is that of a client of an agency.' }),
      }),
    },
    errors: [],
    examples: {
      reply: {
        slots: { total: 50, used: 12, free: 38 },
        features: ['campaigns', 'ai', 'mcp'],
        voice_packages: 1,
        frozen: false,
        suspended: false,
        client: false,
      },
    },
    tool: null,
  }),
} as const satisfies Contract
