import type { CallPart } from '../../contract/approval.ts'
import { ApiError, errorBody } from '../../contract/errors.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, KeyId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Seal } from '../../kernel/seal.ts'
import { ownerOf, type CallDescription } from './request.ts'
import {
  approvalById,
  approve,
  describeAgain,
  interruptedApprovals,
  recordResult,
  refuse,
  sealedArguments,
  adoptApproval,
  toApproval,
  type Approval,
} from './store.ts'

/** An approved call, executed with the same checks as any API call. */
interface ApprovedCall {
  readonly approvalId: string
  readonly tool: string
  readonly given: Readonly<Record<string, unknown>>
  /** The key with its current rights, not those at the time of the request. */
  readonly principal: Principal
}

/** Result of the call, without credentials. */
interface CallResult {
  readonly status: number
  readonly body: unknown
  /** Names of the ids in the result. */
  readonly names?: readonly CallPart[]
}

/** Describes and makes calls that wait for approval. */
export interface ApprovedCalls {
  /** What the call would do now. @returns undefined if this version lacks the tool. */
  describe(call: ApprovedCall): Promise<CallDescription | undefined>
  /** Executes the call with the checks of an API call. */
  execute(call: ApprovedCall): Promise<CallResult>
}

export interface ApprovalDecisions {
  /**
   * Executes the call and returns its result.
   * @throws ApiError not_found; invalid_state when it is already decided, or would now do something else than
   * described.
   */
  readonly approve: (accountId: AccountId, id: string) => Promise<Approval>
  /** @throws ApiError not_found, invalid_state */
  readonly refuse: (accountId: AccountId, id: string) => Promise<Approval>
  /** Enables executing calls, and finishes what an earlier process left incomplete. */
  readonly start: (calls: ApprovedCalls) => Promise<void>
}

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Log
  readonly seal: Seal
  /** The key's current principal; undefined when it was revoked or has expired. */
  readonly principalOf: (keyId: KeyId) => Promise<Principal | undefined>
  /** Called after each commit that changes an approval. */
  readonly changed: (approval: Pick<Approval, 'id' | 'accountId'>) => void
}

/** A call that was interrupted longer ago is not restarted, because nobody waits for it. */
const RESUME_WITHIN_MS = 60 * 60_000
const RECORD_AGAIN_MS = 5_000

/**
 * Approving and starting a call is one commit, its result is another. After a crash in between, only a repeatable
 * call is restarted; for any other call the result says that the outcome is unknown.
 */
export function createApprovalDecisions({ db, clock, log, seal, principalOf, changed }: Deps): ApprovalDecisions {
  let calls: ApprovedCalls | undefined

  const unchanged = async (accountId: AccountId, id: string): Promise<ApiError> => {
    const row = await db.readOne(approvalById, { id, accountId })
    if (!row) return new ApiError('not_found', 'There is no approval with this id.')
    return new ApiError(
      'invalid_state',
      `This approval is ${toApproval(row, clock.now()).state} and can no longer be decided.`,
    ).because('approval_decided')
  }

  const execute = async (approval: Approval, { execute: act }: ApprovedCalls): Promise<Approval> => {
    const result = await resultOf(approval, act)
    try {
      return await record(approval, result)
    } catch (error) {
      recordLater(approval, result)
      throw error
    }
  }

  /** Storage failed to store the result. Without a retry, the approval would stay `approved` until a restart. */
  const recordLater = (approval: Approval, result: CallResult): void => {
    clock.after(RECORD_AGAIN_MS, () => {
      record(approval, result).catch(() => recordLater(approval, result))
    })
  }

  const record = async (approval: Approval, { status, body, names = [] }: CallResult): Promise<Approval> => {
    const { id, parts: asked } = approval
    const answer = body === undefined ? null : JSON.stringify(body)
    const parts = asked === null ? null : JSON.stringify([...asked, ...names])
    const result = { id, boot: db.boot, status, answer, parts, now: clock.now() }
    const row = await db.commit((tx) => tx.one(recordResult, result))
    changed(approval)
    return row ? toApproval(row, clock.now()) : approval
  }

  /** @returns undefined when the key was revoked or has expired. */
  const findCall = async ({ id, tool, keyId }: Pick<Approval, 'id' | 'tool' | 'keyId'>) => {
    const principal = await principalOf(keyId)
    if (!principal) return undefined
    const row = await db.readOne(sealedArguments, { id })
    if (!row) throw new Error(`approval ${id} is gone`)
    const given = JSON.parse(seal.openBytes(row.arguments, ownerOf(id)).toString()) as Record<string, unknown>
    return { call: { approvalId: id, tool, given, principal }, basis: row.basis }
  }

  /** The objects of the call may have changed since the person was asked. @throws ApiError invalid_state */
  const mustSayWhatItDoes = async (approval: Approval, { describe }: ApprovedCalls): Promise<void> => {
    const found = await findCall(approval)
    if (!found || found.basis === null) return
    const { call, basis } = found
    const description = await describe(call)
    if (description === undefined || description.basis === basis) return
    const { sentence, parts } = description
    const fields = { id: approval.id, sentence, parts: JSON.stringify(parts), basis: description.basis }
    await db.commit((tx) => tx.one(describeAgain, { ...fields, described: basis }))
    changed(approval)
    throw changedMeanwhile()
  }

  const resultOf = async (approval: Approval, act: ApprovedCalls['execute']): Promise<CallResult> => {
    const { id } = approval
    try {
      const found = await findCall(approval)
      if (!found) throw keyEnded()
      return await act(found.call)
    } catch (error) {
      if (error instanceof ApiError) return { status: error.status, body: errorBody(error, id) }
      log.error({ event: 'approval.failed', approvalId: id, cause: cause(error) })
      return unknownOutcome(id)
    }
  }

  return {
    async approve(accountId, id) {
      const runner = calls
      if (runner === undefined) throw new ApiError('service_unavailable', 'The service is starting. Repeat the call.')
      const waiting = await db.readOne(approvalById, { id, accountId })
      if (waiting?.state === 'pending') await mustSayWhatItDoes(toApproval(waiting, clock.now()), runner)
      const now = clock.now()
      const row = await db.commit((tx) => tx.one(approve, { id, accountId, now, boot: db.boot }))
      if (!row) throw await unchanged(accountId, id)
      changed(row)
      return execute(toApproval(row, now), runner)
    },
    async refuse(accountId, id) {
      const now = clock.now()
      const row = await db.commit((tx) => tx.one(refuse, { id, accountId, now }))
      if (!row) throw await unchanged(accountId, id)
      changed(row)
      return toApproval(row, now)
    },
    async start(runner) {
      calls = runner
      const now = clock.now()
      for (const row of await db.read(interruptedApprovals, { boot: db.boot })) {
        const approval = toApproval(row, now)
        await db.commit((tx) => tx.run(adoptApproval, { id: row.id, boot: db.boot }))
        const isAgain = row.repeatable === 1 && (row.decidedAtMs ?? 0) + RESUME_WITHIN_MS > now
        await (isAgain ? execute(approval, runner) : record(approval, unknownOutcome(row.id)))
      }
    },
  }
}

const keyEnded = () =>
  new ApiError('unauthorized', 'The key was revoked or has expired meanwhile; nothing was done.').because(
    'approval_key_ended',
  )

const changedMeanwhile = () =>
  new ApiError(
    'invalid_state',
    'What this call is about has changed since the assistant asked, so nothing was done. Read it as it is now, and approve it again if you agree.',
  ).because('approval_changed')

/** Uses the text of the API's internal_error, and says what a person can do. */
function unknownOutcome(id: string): CallResult {
  const sentence =
    'The service was interrupted while it carried this out. Whether it was done is not known: look before you ask again.'
  const error = new ApiError('internal_error', sentence)
  return { status: error.status, body: errorBody(error, id) }
}
