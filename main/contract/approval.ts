import type { Operation } from './operation.ts'
import type { Scope } from './scopes.ts'

/**
 * Before which calls of an assistant a person is asked in the window. `destructive`: what removes or ends something.
 * `sending`: that, and what reaches people or spends money.
 */
export const APPROVAL_POLICIES = ['none', 'destructive', 'sending'] as const
export type ApprovalPolicy = (typeof APPROVAL_POLICIES)[number]

const REACHES_PEOPLE: readonly (Scope | null)[] = [
  'messages:send',
  'dispatch:manage',
  'voice:manage',
  'billing:purchase',
]

/** Whether a key of this kind waits for a person before it calls the operation. */
export function needsApproval(approval: ApprovalPolicy, operation: Operation): boolean {
  if (approval === 'none' || operation.method === 'GET') return false
  if (operation.destructive === true || operation.confirm !== undefined) return true
  return approval === 'sending' && REACHES_PEOPLE.includes(operation.scope)
}

export const APPROVAL_STATES = ['pending', 'approved', 'refused', 'expired', 'executed'] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]
