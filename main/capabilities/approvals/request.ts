import type { CallPart } from '../../contract/approval.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Seal } from '../../kernel/seal.ts'
import {
  approvalOfKey,
  markCollected,
  countPending,
  pruneApprovals,
  insertApproval,
  latestOfCall,
  toApproval,
  type Approval,
} from './store.ts'

/** Describes a call to a person. */
export interface CallDescription {
  /** What the call will do. */
  readonly sentence: string
  /** The same, as separate facts. */
  readonly parts: readonly CallPart[]
  /** Hash of everything outside the arguments that decides what will happen. */
  readonly basis: string
}

/** A call that a key may make only after a person has approved it. */
interface RequestedCall extends CallDescription {
  readonly tool: string
  readonly operation: string
  /** All arguments, including secrets. */
  readonly given: Readonly<Record<string, unknown>>
  /** The arguments for people, without secrets. */
  readonly shown: Readonly<Record<string, unknown>>
  /** Hash of tool and arguments, which identifies the same call. */
  readonly fingerprint: Buffer
  /** Executing it again has no further effect. */
  readonly repeatable: boolean
}

export interface ApprovalRequests {
  /** An open approval of the same call by the same key: pending, or decided and not yet collected. */
  readonly findSame: (principal: Principal, fingerprint: Buffer) => Promise<Approval | undefined>
  /** Requests an approval; a pending call is not requested twice. @throws ApiError sealed, invalid_state */
  readonly ask: (principal: Principal, call: RequestedCall) => Promise<Approval>
  /**
   * An approval of this key by its id.
   * @param fingerprint of the call that names it; undefined if the call has no other arguments.
   * @throws ApiError not_found; validation_error if it belongs to another call.
   */
  readonly getOwn: (principal: Principal, id: string, fingerprint: Buffer | undefined) => Promise<Approval>
}

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'approval'>
  readonly seal: Seal
  /** Called for each new approval, after its commit. */
  readonly onRequested: (approval: Pick<Approval, 'id' | 'accountId' | 'expiresAtMs'>) => void
}

const RETENTION_MS = 30 * 24 * 60 * 60_000
const PRUNE_BATCH = 100
/** After this time, the same call is a new request and does not collect the old result. */
const UNCOLLECTED_MS = 60 * 60_000

export function createApprovalRequests({ db, clock, ids, seal, onRequested }: Deps): ApprovalRequests {
  return {
    findSame: (principal, fingerprint) =>
      db.commit((tx) => findSameCall(tx, keyOf(principal).id, fingerprint, clock.now())),

    ask(principal, { given, shown, fingerprint, repeatable, ...call }) {
      const { id: keyId, name: keyName } = keyOf(principal)
      const id = ids.approval()
      const sealed = seal.seal(Buffer.from(JSON.stringify(given)), ownerOf(id))
      return db.commit(async (tx) => {
        const now = clock.now()
        const waiting = await findSameCall(tx, keyId, fingerprint, now)
        if (waiting) return waiting
        if (((await tx.one(countPending, { keyId, now }))?.waiting ?? 0) >= LIMITS.approvalsPendingPerKey)
          throw tooManyPending()
        await tx.run(pruneApprovals, { before: now - RETENTION_MS, rows: PRUNE_BATCH })
        const expiresAtMs = now + LIMITS.approvalMinutes * 60_000
        const row = { id, accountId: principal.accountId, keyId, keyName, ...call, expiresAtMs }
        const rest = {
          arguments: sealed,
          shown: JSON.stringify(shown),
          parts: JSON.stringify(call.parts),
          fingerprint,
          repeatable: repeatable ? 1 : 0,
          now,
        }
        await tx.run(insertApproval, { ...row, ...rest })
        tx.afterCommit(() => onRequested(row))
        return {
          ...row,
          ...{
            shown,
            state: 'pending' as const,
            createdAtMs: now,
            decidedAtMs: null,
            executedAtMs: null,
            result: null,
          },
        }
      })
    },

    getOwn: (principal, id, fingerprint) =>
      db.commit(async (tx) => {
        const now = clock.now()
        const row = await tx.one(approvalOfKey, { id, keyId: keyOf(principal).id })
        if (!row) throw new ApiError('not_found', 'There is no approval with this approval_id for this key.')
        if (fingerprint !== undefined && !fingerprint.equals(row.fingerprint)) throw wrongCall()
        await tx.run(markCollected, { id, now })
        return toApproval(row, now)
      }),
  }
}

async function findSameCall(tx: Tx, keyId: string, fingerprint: Buffer, now: number): Promise<Approval | undefined> {
  const row = await tx.one(latestOfCall, { keyId, fingerprint })
  if (!row) return undefined
  const approval = toApproval(row, now)
  switch (approval.state) {
    case 'pending':
    case 'approved':
      return approval
    case 'refused':
      // Asking again right after a refusal would only annoy the person.
      return row.expiresAtMs > now ? approval : undefined
    case 'executed':
      if (row.collectedAtMs !== null || (row.executedAtMs ?? 0) + UNCOLLECTED_MS <= now) return undefined
      await tx.run(markCollected, { id: row.id, now })
      return approval
    case 'expired':
      return undefined
  }
}

/** Binds the sealed arguments to their row. */
export const ownerOf = (id: string): string => `approval:${id}`

function keyOf({ key }: Principal) {
  if (key === null) throw new Error('only keys ask for approval')
  return key
}

const wrongCall = () =>
  new ApiError(
    'validation_error',
    'approval_id belongs to another call: send it with the tool and the arguments that were approved, or alone.',
  )

const tooManyPending = () =>
  new ApiError(
    'invalid_state',
    `${LIMITS.approvalsPendingPerKey} calls of this key wait for approval already. Ask the person to decide about them first; nothing was done.`,
  )
