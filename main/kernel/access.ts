import type { ApprovalPolicy } from '../contract/approval.ts'
import { ApiError } from '../contract/errors.ts'
import type { AccessLevel, ConsoleRole } from '../contract/operation.ts'
import type { Feature } from '../contract/features.ts'
import { grants, type Scope, type AcceptedScope } from '../contract/scopes.ts'
import type { Source } from '../contract/shapes.ts'
import type { AccountId, KeyId } from './ids.ts'

/** Who calls, after the key was checked. The console is a principal of its own and carries no key. */
export interface Principal {
  readonly kind: 'key' | 'console'
  /** What the person at the console may do; null for a key. */
  readonly role: ConsoleRole | null
  readonly accountId: AccountId
  readonly accountName: string
  /** null for the console. */
  readonly key: {
    readonly id: KeyId
    readonly name: string
    readonly last4: string
    readonly expiresAtMs: number | null
    /** Before which calls over MCP a person is asked. */
    readonly approval: ApprovalPolicy
  } | null
  readonly scopes: readonly AcceptedScope[]
  /** null: all instances. */
  readonly allowedInstanceIds: readonly string[] | null
  /** Requests per minute of this key's bucket. */
  readonly ratePerMinute: number
  /** Who is signed in, if it is a member who was invited. */
  readonly member?: { readonly id: string; readonly name: string }
  /** What the account may use, where that was looked up. */
  readonly features?: readonly Feature[]
  /** Which session of a browser the console was reached through; absent for every other caller. */
  readonly sessionId?: string
  /** Recorded with what this caller sends. */
  readonly source: Source
}

/** The owner of this computer, at the console. A key never is, even if the operator created it. */
export const isOperator = ({ kind, role }: Pick<Principal, 'kind' | 'role'>): boolean =>
  kind === 'console' && role === 'operator'

/** Who created a key or a link, as it is stored. */
export type Creator = 'operator' | `member:${string}` | `key:${string}`

/** @returns null for a console session that belongs to nobody. */
export function creatorOf({ key, member, role }: Pick<Principal, 'key' | 'member' | 'role'>): Creator | null {
  if (key !== null) return `key:${key.id}`
  if (member !== undefined) return `member:${member.id}`
  return role === 'operator' ? 'operator' : null
}

/** Spec: Authentication, rule 3. */
export function requireScope(principal: Principal, scope: Scope | null): void {
  if (scope === null || principal.kind === 'console' || grants(principal.scopes, scope)) return
  throw new ApiError('insufficient_scope', `This key lacks the scope ${scope}. Use a key that has it.`)
}

/** Settings, backups, logs and restarts belong to the owner of this computer, not to an account on it. */
export function requireRole(principal: Pick<Principal, 'role'>, role: ConsoleRole | undefined): void {
  if (role !== 'operator' || principal.role === 'operator') return
  throw new ApiError('insufficient_scope', 'Only your agency can do this.').because('agency_only')
}

/** Clients, brands and slots are for operators: a member works in an account, whatever the account may do. */
export function requireAgencySide({ kind, role }: Pick<Principal, 'kind' | 'role'>, scope: Scope | null): void {
  if (scope === 'agency:manage' && kind === 'console') requireRole({ role }, 'operator')
}

/** Account operations are closed to restricted keys (spec: Authentication). */
export function requireAccessLevel(principal: Principal, reach: AccessLevel): void {
  if (principal.allowedInstanceIds === null) return
  if (reach === 'account') {
    throw new ApiError(
      'key_restricted',
      'This key is limited to certain instances; this operation concerns the whole account. Use an unrestricted key.',
    )
  }
  if (reach === 'webhooks') {
    throw new ApiError(
      'instance_restricted_key',
      'This key is limited to certain instances; account webhooks, deliveries and events need an unrestricted key.',
    )
  }
}

/** Whether the key's list, if it has one, holds the instance. */
export function canAccessInstance(principal: Principal, instanceId: string): boolean {
  return principal.allowedInstanceIds === null || principal.allowedInstanceIds.includes(instanceId)
}
