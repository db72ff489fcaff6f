import type { Operation } from './operation.ts'

/**
 * Before which calls of an assistant a person is asked in the window. `destructive`: what removes or ends something,
 * decides where data goes, sends it again, gives somebody access or spends money. `sending`: that, and what reaches people.
 */
export const APPROVAL_POLICIES = ['none', 'destructive', 'sending'] as const
export type ApprovalPolicy = (typeof APPROVAL_POLICIES)[number]

/**
 * Why a call of an assistant needs a person. An injected message can make an assistant call anything its key allows, so
 * this is declared wherever a call could carry data out, even if it removes nothing.
 * - `ends`: removes or ends something. Implied by `destructive` and `confirm`.
 * - `destination`: sets or changes an address that data is sent to.
 * - `replay`: sends stored data again, or sends to a destination on request.
 * - `access`: creates a key, link or invitation, or lets somebody in.
 * - `money`: spends it.
 * - `people`: reaches people outside; asked about under `sending` only.
 */
export type ApprovalReason = 'ends' | 'destination' | 'replay' | 'access' | 'money' | 'people'

/** For an operation whose path names the action: the reason for each value of these placeholders, joined by `/`. */
interface ApprovalByPath {
  readonly by: readonly string[]
  /** null: harmless. */
  readonly reasons: Readonly<Record<string, ApprovalReason | null>>
  /** For every value that is not listed. */
  readonly otherwise: ApprovalReason
}

export type ApprovalRule = ApprovalReason | ApprovalByPath

/**
 * Whether a key with this policy waits for a person before it calls the operation.
 * @param given values of the path's placeholders; without them, whether any call of the operation would wait.
 */
export function needsApproval(
  policy: ApprovalPolicy,
  operation: Operation,
  given?: Readonly<Record<string, unknown>>,
): boolean {
  if (policy === 'none') return false
  const isAsked = (reason: ApprovalReason | null) => reason !== null && (reason !== 'people' || policy === 'sending')
  return reasonsOf(operation, given).some(isAsked)
}

function reasonsOf(operation: Operation, given?: Readonly<Record<string, unknown>>): (ApprovalReason | null)[] {
  const { destructive, confirm, approval = null } = operation
  if (destructive === true || confirm !== undefined) return ['ends']
  if (approval === null || typeof approval === 'string') return [approval]
  const { by, reasons, otherwise } = approval
  if (given === undefined) return [...Object.values(reasons), otherwise]
  const name = by.map((part) => String(given[part])).join('/')
  return [Object.hasOwn(reasons, name) ? (reasons[name] ?? null) : otherwise]
}

export const APPROVAL_STATES = ['pending', 'approved', 'refused', 'expired', 'executed'] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]
