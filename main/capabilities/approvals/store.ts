import type { ApprovalState, CallPart } from '../../contract/approval.ts'
import type { AccountId, ApprovalId, KeyId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

/** A call of an assistant that needs or needed approval. */
export interface Approval {
  readonly id: ApprovalId
  readonly accountId: AccountId
  readonly keyId: KeyId
  readonly keyName: string
  readonly operation: string
  readonly tool: string
  /** The arguments without secrets. */
  readonly shown: Readonly<Record<string, unknown>>
  readonly sentence: string
  /** The same, as separate facts; null if an earlier version requested it. */
  readonly parts: readonly CallPart[] | null
  /** By the clock: a pending approval past its time has expired. */
  readonly state: ApprovalState
  readonly createdAtMs: number
  readonly expiresAtMs: number
  readonly decidedAtMs: number | null
  readonly executedAtMs: number | null
  readonly result: { readonly status: number; readonly body: unknown } | null
}

export interface ApprovalRow extends Omit<Approval, 'shown' | 'parts' | 'state' | 'result'> {
  readonly shown: string
  readonly parts: string | null
  readonly state: Exclude<ApprovalState, 'expired'>
  readonly status: number | null
  readonly answer: string | null
}

const APPROVAL = `id, account_id AS accountId, key_id AS keyId, key_name AS keyName, operation, tool, shown, sentence,
  parts, state, created_at AS createdAtMs, expires_at AS expiresAtMs, decided_at AS decidedAtMs,
  executed_at AS executedAtMs, status, answer`

export const insertApproval = sql<{
  id: string
  accountId: string
  keyId: string
  keyName: string
  operation: string
  tool: string
  arguments: Uint8Array
  shown: string
  sentence: string
  parts: string
  basis: string
  fingerprint: Uint8Array
  repeatable: number
  now: number
  expiresAtMs: number
}>(`INSERT INTO approvals (id, account_id, key_id, key_name, operation, tool, arguments, shown, sentence, parts, basis,
      fingerprint, repeatable, state, created_at, expires_at)
    VALUES (:id, :accountId, :keyId, :keyName, :operation, :tool, :arguments, :shown, :sentence, :parts, :basis,
      :fingerprint, :repeatable, 'pending', :now, :expiresAtMs)`)

export const approvalById = sql<{ id: string; accountId: string }, ApprovalRow>(
  `SELECT ${APPROVAL} FROM approvals WHERE id = :id AND account_id = :accountId`,
)

/** For the key that asked; the caller compares the fingerprint. */
export const approvalOfKey = sql<{ id: string; keyId: string }, ApprovalRow & { fingerprint: Uint8Array }>(
  `SELECT ${APPROVAL}, fingerprint FROM approvals WHERE id = :id AND key_id = :keyId`,
)

/** The newest approval of the same call by the same key, with whether its result was collected. */
export const latestOfCall = sql<
  { keyId: string; fingerprint: Uint8Array },
  ApprovalRow & { collectedAtMs: number | null }
>(
  `SELECT ${APPROVAL}, collected_at AS collectedAtMs FROM approvals
   WHERE key_id = :keyId AND fingerprint = :fingerprint ORDER BY id DESC LIMIT 1`,
)

export const countPending = sql<{ keyId: string; now: number }, { waiting: number }>(
  `SELECT COUNT(*) AS waiting FROM approvals WHERE state = 'pending' AND key_id = :keyId AND expires_at > :now`,
)

export const pendingApprovals = sql<{ now: number }, Pick<Approval, 'id' | 'accountId' | 'expiresAtMs'>>(
  `SELECT id, account_id AS accountId, expires_at AS expiresAtMs FROM approvals WHERE state = 'pending' AND expires_at > :now`,
)

export const countPendingOfAccount = sql<{ accountId: string; now: number }, { pending: number }>(
  `SELECT COUNT(*) AS pending FROM approvals WHERE state = 'pending' AND expires_at > :now AND account_id = :accountId`,
)

/** `state` is a constant of this code; `now` decides whether a pending approval has expired. */
export const approvalsPage = sql<
  { accountId: string; beforeId: string; state: string | null; now: number; rows: number },
  ApprovalRow
>(
  `SELECT ${APPROVAL} FROM approvals
   WHERE account_id = :accountId AND id < :beforeId
     AND ((state = :state AND (state <> 'pending' OR expires_at > :now))
       OR (:state = 'expired' AND state = 'pending' AND expires_at <= :now)
       OR :state IS NULL)
   ORDER BY id DESC LIMIT :rows`,
)

export const approve = sql<{ id: string; accountId: string; now: number; boot: string }, ApprovalRow>(
  `UPDATE approvals SET state = 'approved', decided_at = :now, boot = :boot
   WHERE id = :id AND account_id = :accountId AND state = 'pending' AND expires_at > :now RETURNING ${APPROVAL}`,
)

export const refuse = sql<{ id: string; accountId: string; now: number }, ApprovalRow>(
  `UPDATE approvals SET state = 'refused', decided_at = :now
   WHERE id = :id AND account_id = :accountId AND state = 'pending' AND expires_at > :now RETURNING ${APPROVAL}`,
)

/** For a key that was revoked. */
export const refuseAllOfKey = sql<{ keyId: string; now: number }, Pick<Approval, 'id' | 'accountId'>>(
  `UPDATE approvals SET state = 'refused', decided_at = :now
   WHERE state = 'pending' AND key_id = :keyId AND expires_at > :now RETURNING id, account_id AS accountId`,
)

/** Requires the boot that started it, so that an earlier process cannot write a result. */
export const recordResult = sql<
  { id: string; boot: string; status: number; answer: string | null; parts: string | null; now: number },
  ApprovalRow
>(
  `UPDATE approvals SET state = 'executed', status = :status, answer = :answer, parts = :parts, executed_at = :now
   WHERE id = :id AND state = 'approved' AND boot = :boot RETURNING ${APPROVAL}`,
)

/** `basis` is null in approvals of earlier versions. */
export const sealedArguments = sql<{ id: string }, { arguments: Uint8Array; basis: string | null }>(
  'SELECT arguments, basis FROM approvals WHERE id = :id',
)

/** Changes only pending approvals, and only if their description is the one that was compared. */
export const describeAgain = sql<
  { id: string; sentence: string; parts: string; basis: string; described: string },
  Pick<Approval, 'id'>
>(
  `UPDATE approvals SET sentence = :sentence, parts = :parts, basis = :basis
   WHERE id = :id AND state = 'pending' AND basis = :described RETURNING id`,
)

/** Approvals that an earlier boot started and did not finish. */
export const interruptedApprovals = sql<{ boot: string }, ApprovalRow & { repeatable: number }>(
  `SELECT ${APPROVAL}, repeatable FROM approvals WHERE state = 'approved' AND boot <> :boot ORDER BY id`,
)

export const adoptApproval = sql<{ id: string; boot: string }>(
  `UPDATE approvals SET boot = :boot WHERE id = :id AND state = 'approved'`,
)

export const markCollected = sql<{ id: string; now: number }>(
  `UPDATE approvals SET collected_at = :now WHERE id = :id AND state = 'executed' AND collected_at IS NULL`,
)

export const pruneApprovals = sql<{ before: number; rows: number }>(
  `DELETE FROM approvals WHERE id IN (
     SELECT id FROM approvals WHERE created_at < :before AND state <> 'approved' ORDER BY created_at LIMIT :rows)`,
)

export function toApproval(row: ApprovalRow, nowMs: number): Approval {
  const { shown, parts, state, status, answer, ...rest } = row
  return {
    ...pick(rest),
    // ask.ts wrote it from such a record.
    shown: JSON.parse(shown) as Record<string, unknown>,
    parts: parts === null ? null : (JSON.parse(parts) as CallPart[]),
    state: state === 'pending' && row.expiresAtMs <= nowMs ? 'expired' : state,
    result: status === null ? null : { status, body: answer === null ? undefined : JSON.parse(answer) },
  }
}

/** Rows of some statements have more columns than an approval has fields. */
const pick = (row: Omit<ApprovalRow, 'shown' | 'parts' | 'state' | 'status' | 'answer'>) => ({
  id: row.id,
  accountId: row.accountId,
  keyId: row.keyId,
  keyName: row.keyName,
  operation: row.operation,
  tool: row.tool,
  sentence: row.sentence,
  createdAtMs: row.createdAtMs,
  expiresAtMs: row.expiresAtMs,
  decidedAtMs: row.decidedAtMs,
  executedAtMs: row.executedAtMs,
})
