import { Type } from 'typebox'
import { FEATURES } from '../../../contract/features.ts'
import { LIMITS } from '../../../contract/limits.ts'

export const Name = Type.String({
  minLength: 1,
  maxLength: LIMITS.accountNameLength,
  pattern: '\\S',
  description: 'Must not be blank.',
})
export const Status = Type.Enum(['active', 'suspended'], {
  description: '`suspended`: sends nothing, its access links are closed, and its webhooks wait. Nothing is lost.',
})
export const Slots = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description: 'How many instances the sub-account may have.',
})
export const Features = Type.Array(Type.Enum([...FEATURES]), {
  uniqueItems: true,
  description: 'What the sub-account may use besides numbers, messages and webhooks.',
})

export const ID = '019b8d3e-7a10-7c3f-9b1e-2f6d5c4b3a21'

export const reading = { scope: 'agency:read', reach: 'account', origin: 'ours' } as const
export const managing = { scope: 'agency:manage', reach: 'account', origin: 'ours' } as const
export const PATH = '/v1/agency/accounts/{account_id}'
