import { isAscii } from 'node:buffer'
import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { sql } from '../../kernel/sql.ts'
import type { FinishedJob } from '../../kernel/worker.ts'
import type { Attempt, FinishedAttempt } from './attempt.ts'
import type { DisabledReason } from './states.ts'
import { judge, type Verdict } from './verdict.ts'

const RESPONSE_PREFIX_BYTES = 4_096

/** Fenced by lease and attempt: a result that comes too late finds no row and changes nothing. */
const settleDelivery = sql<{
  seq: number
  lease: string
  attempt: number
  status: string
  counted: number
  interrupted: number
  /** 1: the due time stays as it is. */
  keepsTime: 0 | 1
  next: number | null
  gap: number
  lane: number
  finalReason: string | null
  deliveredAt: number | null
  statusCode: number | null
  error: string | null
  now: number
}>(
  `UPDATE deliveries SET status = :status, counted = :counted, interrupted = :interrupted,
          next_attempt_at = CASE WHEN :keepsTime = 1 THEN next_attempt_at ELSE :next END, gap_ms = :gap, lane = :lane, lease = NULL, final_reason = :finalReason, delivered_at = :deliveredAt,
          last_status_code = :statusCode, last_error = :error, is_swept = 0, updated_at = :now
    WHERE seq = :seq AND lease = :lease AND attempts = :attempt`,
)

const finishAttempt = sql<{
  seq: number
  attempt: number
  outcome: string
  counted: number
  startedAt: number
  finishedAt: number
  durationMs: number | null
  statusCode: number | null
  errorCode: string | null
  errorMessage: string | null
  remoteIp: string | null
  sentTimestamp: number | null
  responsePrefix: string | null
}>(
  `UPDATE delivery_attempts SET outcome = :outcome, counted = :counted, started_at = :startedAt,
          finished_at = :finishedAt, duration_ms = :durationMs, http_status = :statusCode, error_code = :errorCode,
          error_message = :errorMessage, remote_ip = :remoteIp, sent_timestamp = :sentTimestamp, response_prefix = :responsePrefix
    WHERE delivery_seq = :seq AND attempt = :attempt`,
)

/**
 * A verdict on the webhook applies only if `activation` is still the one seen at the claim; after a reactivation it is
 * stale.
 */
const resetFailures = sql<{ webhook: number; activation: number }>(
  `UPDATE webhooks SET consecutive_exhausted = 0
    WHERE seq = :webhook AND activation = :activation AND consecutive_exhausted > 0`,
)

const countExhausted = sql<{ webhook: number; activation: number }, { consecutiveExhausted: number }>(
  `UPDATE webhooks SET consecutive_exhausted = consecutive_exhausted + 1
    WHERE seq = :webhook AND activation = :activation RETURNING consecutive_exhausted AS consecutiveExhausted`,
)

const deactivate = sql<
  { webhook: number; activation: number; reason: DisabledReason; now: number },
  { id: string; accountId: AccountId }
>(
  `UPDATE webhooks SET state = 'deactivated', state_since = :now, disabled_reason = :reason, updated_at = :now
    WHERE seq = :webhook AND activation = :activation AND state <> 'deactivated' AND deleted_at IS NULL
    RETURNING id, account_id AS accountId`,
)

interface AttemptRecorderDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly schedule: readonly number[]
  readonly log: Log
  /** Called after the commit that deactivated it. */
  readonly onDeactivated: (webhook: { accountId: AccountId; seq: number; id: string }) => void
  /** Called after each result is on disk. @param isCurrent false for a late result that changed nothing. */
  readonly onRecorded: (target: Attempt['target'], verdict: Verdict, isCurrent: boolean) => void
}

/** Judges ended attempts and writes delivery, attempt and webhook of each, all in one unit. */
export function createAttemptRecorder({
  db,
  clock,
  random,
  schedule,
  log,
  onDeactivated,
  onRecorded,
}: AttemptRecorderDeps) {
  async function record(ended: readonly FinishedJob<Attempt, FinishedAttempt>[]): Promise<void> {
    const results = ended.map(({ job: attempt, result: finished }) => {
      return { attempt, finished, verdict: judgeNow(attempt, finished), lease: db.boot }
    })
    const current = await db.commit(async (tx) => {
      const isCurrent: boolean[] = []
      for (const result of results) isCurrent.push(await write(tx, result))
      return isCurrent
    })
    results.forEach(({ attempt, verdict }, i) => onRecorded(attempt.target, verdict, current[i] === true))
  }

  /** The next gap runs from the end of this attempt, however late it is written. */
  function judgeNow(
    { deliveryState, trigger }: Pick<Attempt, 'deliveryState' | 'trigger'>,
    { ended, finishedAtMs }: FinishedAttempt,
  ): Verdict {
    return judge(deliveryState, ended, { trigger, schedule, fraction: random.fraction(), nowMs: finishedAtMs })
  }

  /** @returns false for a result that came too late. */
  async function write(tx: Tx, result: Result): Promise<boolean> {
    const { attempt, finished, verdict, lease } = result
    const now = clock.now()
    const { deliverySeq: seq, number, target } = attempt
    const isCurrent = await tx.run(settleDelivery, {
      seq,
      lease,
      attempt: number,
      status: verdict.status,
      counted: verdict.counted,
      interrupted: verdict.interrupted,
      ...timeOf(result, clock.movedMs()),
      gap: verdict.gapMs,
      lane: verdict.lane,
      finalReason: verdict.finalReason,
      deliveredAt: verdict.deliveredAtMs,
      statusCode: verdict.statusCode,
      error: verdict.error?.message ?? null,
      now,
    })
    if (isCurrent === 0) return false
    await tx.run(finishAttempt, { seq, attempt: number, ...attemptColumns(finished, verdict) })
    await applyToWebhook(tx, { webhook: target.webhookSeq, activation: target.activation }, verdict.webhook, now)
    return true
  }

  async function applyToWebhook(
    tx: Tx,
    at: { webhook: number; activation: number },
    verdict: Verdict['webhook'],
    now: number,
  ): Promise<void> {
    if (verdict === 'proved') await tx.run(resetFailures, at)
    if (verdict === 'gone') await deactivateFor(tx, { ...at, reason: 'gone', now })
    if (verdict !== 'exhausted') return
    const row = await tx.one(countExhausted, at)
    const isFifth = row !== undefined && row.consecutiveExhausted >= LIMITS.consecutiveExhausted
    if (isFifth) await deactivateFor(tx, { ...at, reason: 'too_many_failures', now })
  }

  async function deactivateFor(
    tx: Tx,
    params: { webhook: number; activation: number; reason: DisabledReason; now: number },
  ): Promise<void> {
    const row = await tx.one(deactivate, params)
    if (!row) return
    tx.afterCommit(() => {
      log.warn({ event: 'webhook.deactivated', webhookId: row.id, reason: params.reason })
      onDeactivated({ accountId: row.accountId, seq: params.webhook, id: row.id })
    })
  }

  return { record, judgeNow, write }
}

interface Result {
  readonly attempt: Pick<Attempt, 'deliverySeq' | 'number' | 'deliveryState'> & {
    readonly target: { readonly webhookSeq: number; readonly activation: number }
  }
  readonly finished: FinishedAttempt
  readonly verdict: Verdict
  /** Boot id of the claim. Recovery writes results for an earlier boot. */
  readonly lease: string
}

/** When the next attempt is due. */
function timeOf(
  { attempt: { deliveryState: before }, finished, verdict }: Result,
  movedMs: number,
): { readonly keepsTime: 0 | 1; readonly next: number | null } {
  const { nextAttemptAtMs: next } = verdict
  if (next === null) return { keepsTime: 0, next }
  // The row may have moved with the clock since it was claimed.
  if (next === before.nextAttemptAtMs) return { keepsTime: 1, next }
  return { keepsTime: 0, next: next + movedMs - finished.movedMs }
}

function attemptColumns(
  { ended, startedAtMs, finishedAtMs, durationMs, sentTimestamp }: FinishedAttempt,
  verdict: Verdict,
) {
  const answer = ended.kind === 'interrupted' ? undefined : ended.answer
  const response = answer?.kind === 'response' ? answer : undefined
  return {
    outcome: verdict.outcome,
    counted: verdict.isCounted ? 1 : 0,
    startedAt: startedAtMs,
    finishedAt: finishedAtMs,
    durationMs,
    statusCode: verdict.statusCode,
    errorCode: verdict.error?.code ?? null,
    errorMessage: verdict.error?.message ?? null,
    remoteIp: response?.remoteIp ?? null,
    sentTimestamp,
    responsePrefix: response && response.body.length > 0 ? textPrefix(response.body) : null,
  }
}

/** Bytes that are no text become replacement characters, which are longer: hence the second cut. */
function textPrefix(body: Buffer): string {
  const bytes = body.subarray(0, RESPONSE_PREFIX_BYTES)
  // Nearly every answer of a receiver; a decoder for each of them costs more than judging it.
  if (isAscii(bytes) && !bytes.includes(0)) return bytes.toString('latin1')
  const decode = (bytes: Uint8Array) =>
    new TextDecoder().decode(bytes.subarray(0, RESPONSE_PREFIX_BYTES), { stream: true })
  return decode(Buffer.from(decode(body).replaceAll('\0', '\ufffd')))
}
