import { accountFrozen, accountSuspended } from '../contract/account-refusals.ts'
import { isClosedWhenFrozen, isClosedWhenSuspended } from '../contract/effects.ts'
import type { Operation } from '../contract/operation.ts'
import type { Principal } from '../kernel/access.ts'
import type { AccountId } from '../kernel/ids.ts'

export interface AccountGateDeps {
  isSuspended(accountId: AccountId): boolean
  /** The account, or its agency, owes money. */
  isFrozen(accountId: AccountId): Promise<boolean>
}

interface Request {
  readonly params: unknown
  readonly query: unknown
}

export type AccountGate = ReturnType<typeof createAccountGate>

/** Refuses operations that suspended and frozen accounts may not use, by the effects that each operation declares. */
export function createAccountGate({ isSuspended, isFrozen }: AccountGateDeps) {
  return {
    /** Runs before the body is read, unless the body decides. @throws ApiError account_suspended */
    beforeBody({ accountId }: Principal, operation: Operation, request: Request): void {
      if (!isSuspended(accountId) || isDecidedByBody(operation)) return
      if (isClosedWhenSuspended(operation, argumentsOf(operation, request, undefined))) throw accountSuspended(NOT_DONE)
    },
    /** Once everything is validated. @throws ApiError account_suspended, invalid_state */
    async beforeCall({ accountId }: Principal, operation: Operation, request: Request, body: unknown): Promise<void> {
      const args = argumentsOf(operation, request, body)
      if (isClosedWhenSuspended(operation, args) && isSuspended(accountId)) throw accountSuspended(NOT_DONE)
      if (operation.replaysWhenFrozen === true || !isClosedWhenFrozen(operation, args)) return
      if (!(await isFrozen(accountId))) return
      throw accountFrozen(
        NOT_DONE,
        'Messages are still received. Pay the open invoice in Billing, then repeat the call.',
      )
    },
  }
}

/** Also used for a repeat whose first call was executed. */
const NOT_DONE = 'this call was not carried out'

function isDecidedByBody({ effects, path, query }: Operation): boolean {
  return (
    'by' in effects && effects.by.some((name) => !path.includes(`{${name}}`) && query?.properties[name] === undefined)
  )
}

/** Only parameters that the operation reads: an ignored query parameter must not decide. */
function argumentsOf({ query: schema }: Operation, { params, query }: Request, body: unknown) {
  const asked = Object.entries(query as object).filter(([name]) => schema?.properties[name] !== undefined)
  return { ...(typeof body === 'object' ? body : undefined), ...Object.fromEntries(asked), ...(params as object) }
}
