import type { ApprovalState } from '../../contract/approval.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Ids, KeyId } from '../../kernel/ids.ts'
import { convertLong, readLongPage } from '../../kernel/long-rows.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { Log } from '../../kernel/log.ts'
import type { Seal } from '../../kernel/seal.ts'
import { createApprovalRequests, type ApprovalRequests } from './request.ts'
import { createApprovalDecisions, type ApprovalDecisions } from './decide.ts'
import { createExpiry } from './expiry.ts'
import {
  approvalById,
  approvalsPage,
  countPendingOfAccount,
  pendingApprovals,
  refuseAllOfKey,
  toApproval,
  type Approval,
  type ApprovalRow,
} from './store.ts'

export type { ApprovalRequests, CallDescription } from './request.ts'
export type { ApprovedCalls } from './decide.ts'
export type { Approval } from './store.ts'

export interface ApprovalsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ids: Pick<Ids, 'approval'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly log: Log
  readonly seal: Seal
  readonly principalOf: (keyId: KeyId) => Promise<Principal | undefined>
}

export interface Approvals extends ApprovalRequests, ApprovalDecisions {
  /** @throws ApiError not_found */
  readonly get: (accountId: AccountId, id: string) => Promise<Approval>
  /** At most `rows`, older than `beforeId`, newest first. */
  readonly page: (accountId: AccountId, wish: PageQuery) => Promise<{ shown: Approval[]; hasMore: boolean }>
  readonly countPending: (accountId: AccountId) => Promise<{ pending: number }>
  /** Runs in the commit that revokes the key: its pending calls can no longer be made. */
  readonly keyRevoked: (tx: Tx, keyId: KeyId) => Promise<void>
  readonly close: () => void
}

interface PageQuery {
  readonly state: ApprovalState | undefined
  readonly beforeId: string | undefined
  readonly limit: number
}

/** Sorts after every id. */
const AFTER_ALL = 'apr_~'

export function createApprovals(deps: ApprovalsDeps): Approvals {
  const { db, clock, live } = deps
  const changed = ({ id, accountId }: Pick<Approval, 'id' | 'accountId'>) =>
    live.publish(accountId, { topic: 'approvals', id })
  const expiry = createExpiry({ clock, expired: changed })
  const deciding = createApprovalDecisions({ ...deps, changed })
  return {
    ...createApprovalRequests({
      ...deps,
      onRequested(approval) {
        expiry.watch(approval)
        changed(approval)
      },
    }),
    ...deciding,
    async start(calls) {
      const waiting = await db.read(pendingApprovals, { now: clock.now() })
      for (const approval of waiting) expiry.watch(approval)
      await deciding.start(calls)
    },
    countPending: async (accountId) =>
      (await db.readOne(countPendingOfAccount, { accountId, now: clock.now() })) ?? { pending: 0 },
    async keyRevoked(tx, keyId) {
      const refused = await tx.all(refuseAllOfKey, { keyId, now: clock.now() })
      tx.afterCommit(() => refused.forEach(changed))
    },
    close: expiry.close,
    async get(accountId, id) {
      const row = await db.readOne(approvalById, { id, accountId })
      if (!row) throw new ApiError('not_found', 'There is no approval with this id.')
      return toApproval(row, clock.now())
    },
    async page(accountId, { state = null, beforeId = AFTER_ALL, limit }) {
      const now = clock.now()
      // The arguments of one call may take 2 MB.
      const { shown, hasMore } = await readLongPage<ApprovalRow>(
        limit,
        (rows, last) => db.read(approvalsPage, { accountId, beforeId: last?.id ?? beforeId, state, now, rows }),
        1,
      )
      return { shown: await convertLong(shown, (row) => toApproval(row, now)), hasMore }
    },
  }
}
