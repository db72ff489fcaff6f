/**
 * Which calls of an assistant need a person's approval in the window. `destructive`: calls that remove or end something,
 * change where data goes, resend it or grant access. `sending`: those, and calls that reach people. Calls that spend
 * money need approval under each of them.
 */
export const APPROVAL_POLICIES = ['none', 'destructive', 'sending'] as const
export type ApprovalPolicy = (typeof APPROVAL_POLICIES)[number]

/**
 * Why a call of an assistant needs approval. An injected message can make an assistant call anything its key allows, so
 * every operation that could leak data declares a reason, even if it removes nothing.
 * - `ends`: removes or ends something. Implied by `destructive` and `confirm`.
 * - `destination`: sets or changes a URL that data is sent to.
 * - `replay`: resends stored data, or sends to a destination on request.
 * - `access`: creates a key, link or invitation, or grants access some other way.
 * - `money`: spends money. Needs approval whatever the policy: no key can turn it off.
 * - `people`: reaches people; needs approval under `sending` only.
 */
type ApprovalReason = 'ends' | 'destination' | 'replay' | 'access' | 'money' | 'people'

/** For an operation whose path names the action: a reason per action. */
interface ApprovalByPath {
  /** Path placeholders; their values, joined by `/`, are the keys of `reasons`. */
  readonly by: readonly string[]
  /** null: needs no approval. */
  readonly reasons: Readonly<Record<string, ApprovalReason | null>>
  /** For every action that is not listed. */
  readonly otherwise: ApprovalReason
}

export type ApprovalRule = ApprovalReason | ApprovalByPath

/** The fields of an operation that decide whether a call needs approval. */
interface ApprovalFacts {
  readonly destructive?: boolean
  readonly confirm?: unknown
  readonly approval?: ApprovalRule | undefined
}

/**
 * Whether a call of the operation needs approval under this policy.
 * @param args values of the path placeholders. Without them: whether any call of the operation could need approval.
 */
export function needsApproval(
  policy: ApprovalPolicy,
  operation: ApprovalFacts,
  args?: Readonly<Record<string, unknown>>,
): boolean {
  const applies = (reason: ApprovalReason | null) => {
    if (reason === null || policy === 'none') return reason === 'money'
    return reason !== 'people' || policy === 'sending'
  }
  return reasonsOf(operation, args).some(applies)
}

function reasonsOf(operation: ApprovalFacts, args?: Readonly<Record<string, unknown>>): (ApprovalReason | null)[] {
  const { destructive, confirm, approval = null } = operation
  if (destructive === true || confirm !== undefined) return ['ends']
  if (approval === null || typeof approval === 'string') return [approval]
  const { by, reasons, otherwise } = approval
  if (args === undefined) return [...Object.values(reasons), otherwise]
  const name = by.map((part) => String(args[part])).join('/')
  return [Object.hasOwn(reasons, name) ? (reasons[name] ?? null) : otherwise]
}

interface Closable {
  readonly method: string
  readonly scope: string | null
  readonly approval?: ApprovalRule | undefined
}

/**
 * Whether a suspended account may not make the call: it reaches people, sends stored data out, or opens a link.
 * @param args as in `needsApproval`.
 */
export function isClosedWhenSuspended(
  { method, scope, approval }: Closable,
  args?: Readonly<Record<string, unknown>>,
): boolean {
  if (method === 'POST' && scope === 'links:generate') return true
  if (approval === undefined) return false
  return reasonsOf({ approval }, args).some((reason) => reason === 'people' || reason === 'replay')
}

export const APPROVAL_STATES = ['pending', 'approved', 'refused', 'expired', 'executed'] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]
