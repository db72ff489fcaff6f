import type { ApiActivity } from '../../kernel/api-activity.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { WriteGate } from '../../kernel/write-gate.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { createWorker, type FinishedJob as Over, type Worker } from '../../kernel/worker.ts'
import { bodyOf, post, type Call, type CallResult } from './call.ts'
import { DROPPED_AFTER_MINUTES, GAPS_SECONDS, TRIES } from './contract.ts'
import type { CallSlots, Share } from './call-slots.ts'
import {
  beginTry,
  dropAbandoned,
  dropAll,
  dropOld,
  dueCalls,
  finish,
  giveBack,
  releaseAbandoned,
  removeEnded,
  toWebhook,
  tryAgain,
  waitingInstances,
  webhookOf,
} from './store.ts'

interface DeliveryDeps {
  readonly db: Db
  readonly clock: Clock
  readonly apiActivity: Pick<ApiActivity, 'isRecent'>
  readonly outbound: Pick<Outbound, 'request'>
  readonly log: Log
  readonly slots: CallSlots
  readonly writeGate: Pick<WriteGate, 'isOpen'>
}

const SECOND_MS = 1_000
const LONGEST_GAP_MS = Math.max(...GAPS_SECONDS) * SECOND_MS
const CHORES_MS = 60 * SECOND_MS
/** Rows removed in one commit. */
export const CHUNK = 500

export interface DeliveryWorker extends Worker {
  /** Runs at each start, before the service listens: calls that another boot left unfinished become due again. */
  recover(): Promise<void>
  /** Checks for due calls that did not wake the worker. */
  lookAgain(): Promise<void>
}

type Outcome = Over<Call, CallResult>

/** Seconds until the next attempt, or undefined after the last one. */
const gapAfter = ({ job, result }: Outcome) =>
  result === 'failed' && job.try < TRIES ? GAPS_SECONDS[job.try - 1] : undefined

const isGivenUp = (outcome: Outcome) => outcome.result === 'failed' && gapAfter(outcome) === undefined

/**
 * Makes due calls: three attempts, then the call is dropped. Has its own tables, like account webhooks, and shares
 * their worker.
 */
export function createDeliveryWorker({
  db,
  clock,
  apiActivity,
  outbound,
  log,
  slots,
  writeGate,
}: DeliveryDeps): DeliveryWorker {
  const due = () => {
    const now = clock.now()
    return { now, furthest: now + LONGEST_GAP_MS }
  }
  let choresAtMono = -Infinity

  async function claimShare(share: Share): Promise<Call[]> {
    try {
      const calls = await db.commit((tx) => take(tx, share))
      slots.settle(share, calls.length)
      return calls
    } catch (error) {
      // Another share of this turn may have succeeded, and its calls must still be made.
      log.warn({ event: 'instance_webhook.claim_failed', cause: cause(error) })
      slots.settle({ ...share, dueRevision: -1 }, 0)
      return []
    }
  }

  async function take(tx: Tx, { instanceId, slots }: Share): Promise<Call[]> {
    const row = await tx.one(webhookOf, { instanceId })
    if (!row) {
      await tx.run(dropAll, { instanceId, limit: CHUNK })
      return []
    }
    const webhook = toWebhook(row)
    const calls: Call[] = []
    for (const found of await tx.all(dueCalls, { ...due(), instanceId, limit: slots })) {
      const { eventSeq, accountId, tries } = found
      await tx.run(beginTry, { eventSeq, boot: db.boot })
      const body = bodyOf(instanceId, webhook, found)
      calls.push({ instanceId, accountId, eventSeq, try: tries + 1, webhook, body })
    }
    return calls
  }

  async function act(call: Call): Promise<CallResult> {
    try {
      return await post(outbound, call)
    } finally {
      slots.release(call.instanceId)
    }
  }

  async function record(all: readonly Outcome[]): Promise<void> {
    await db.commit(async (tx) => {
      for (const outcome of all) await write(tx, outcome)
    })
    for (const outcome of all) {
      const { instanceId, try: tries } = outcome.job
      if (isGivenUp(outcome)) log.warn({ event: 'instance_webhook.dropped', instanceId, tries })
    }
  }

  function write(tx: Tx, outcome: Outcome): Promise<number> {
    const { job, result } = outcome
    const fence = { eventSeq: job.eventSeq, boot: db.boot }
    if (result === 'cut_off') return tx.run(giveBack, fence)
    const gap = gapAfter(outcome)
    return gap === undefined ? tx.run(finish, fence) : tx.run(tryAgain, { ...fence, at: clock.now() + gap * SECOND_MS })
  }

  async function runChores(): Promise<void> {
    if (clock.mono() - choresAtMono < CHORES_MS) return
    choresAtMono = clock.mono()
    const before = clock.now() - DROPPED_AFTER_MINUTES * 60 * SECOND_MS
    // Repeats until no old rows are left: running calls are kept, so a chunk need not be full.
    for (let dropped = 1; dropped > 0;) {
      dropped = await db.commit((tx) => tx.run(dropOld, { before, limit: CHUNK }))
      if (dropped > 0) log.warn({ event: 'instance_webhook.dropped', calls: dropped })
    }
    await db.commit((tx) => tx.run(removeEnded, {}))
  }

  async function lookAgain(): Promise<void> {
    for (const instance of await db.read(waitingInstances, due())) slots.markDue(instance)
    worker.wake()
  }

  const worker: Worker = createWorker<Call, CallResult>({
    clock,
    apiActivity,
    log,
    writeGate,
    work: {
      name: 'instance-webhook',
      deadlineMs: 30_000,
      claim: async (most) => (await Promise.all(slots.plan(most).map(claimShare))).flat(),
      act,
      interruptedResult: () => 'cut_off',
      record,
      async tick() {
        await lookAgain()
        await runChores()
      },
    },
  })

  return {
    ...worker,
    lookAgain,
    recover: () =>
      db.commit(async (tx) => {
        await tx.run(dropAbandoned, { boot: db.boot, tries: TRIES })
        await tx.run(releaseAbandoned, { boot: db.boot })
      }),
  }
}
