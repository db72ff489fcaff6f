import type { Timer } from '../../kernel/clock.ts'
import { cause } from '../../kernel/log.ts'
import type { BudgetHolds } from './budget-holds.ts'
import { pendingOf } from './counts.ts'
import type { CampaignsDeps } from './deps.ts'
import type { createLateness } from './lateness.ts'
import type { Loading } from './loading.ts'
import { sendKey } from './outcomes.ts'
import { sendingPage, type Recipient } from './recipient-store.ts'
import type { Resolver } from './resolve.ts'
import { isUnderWay, type CampaignState } from './state.ts'
import { lanesOf, loadingCampaigns, setLoading } from './store.ts'

const PAGE = 200
const SWEEP_MS = 30_000
/** How soon a change of the clock is noticed. */
const LOOK_MS = 1_000

interface RecoveryDeps extends Pick<CampaignsDeps, 'db' | 'clock' | 'log' | 'idempotency'> {
  readonly state: CampaignState
  readonly loading: Loading
  readonly resolve: Resolver
  readonly budgetHolds: Pick<BudgetHolds, 'look'>
  readonly lateness: Pick<ReturnType<typeof createLateness>, 'isDue' | 'look'>
  /** Keys of this process's unfinished sends. */
  readonly sends: ReadonlySet<string>
}

/** Ends orphaned sends and recipient lists: those of an earlier process, and those whose end could not be stored. */
export function createRecovery(deps: RecoveryDeps) {
  const { db, clock, log, idempotency, state, loading, resolve, sends, lateness, budgetHolds } = deps
  /**
   * Recipients being sent to without a run at the last check, with the time of their claim. A recipient that was just
   * claimed can appear in one check, but not in two in a row.
   */
  let unowned = new Map<string, number | null>()
  let timer: Timer | undefined
  let sweeping: Promise<void> | undefined

  /** @param isOver whether a send without a run has ended. */
  async function endSends(isOver: (recipient: Recipient) => boolean): Promise<void> {
    const found = new Map<string, number | null>()
    const campaignIds = new Set<string>()
    let after = { afterId: '', afterPosition: 0 }
    for (let rows = PAGE; rows === PAGE;) {
      const recipients = await db.read(sendingPage, { ...after, rows: PAGE })
      for (const recipient of recipients) {
        if (sends.has(sendKey(recipient))) continue
        found.set(sendKey(recipient), recipient.claimedAtMs)
        if (!isOver(recipient)) continue
        await resolve(recipient)
        campaignIds.add(recipient.campaignId)
      }
      const last = recipients.at(-1)
      if (last !== undefined) after = { afterId: last.campaignId, afterPosition: last.position }
      rows = recipients.length
    }
    unowned = found
    for (const id of campaignIds) await continueCampaign(id)
  }

  /** Its numbers had no recipients left and are idle. */
  const continueCampaign = (id: string): Promise<void> =>
    db.commit(async (tx) => {
      const campaign = await state.load(tx, id)
      if (campaign === undefined || !isUnderWay(campaign)) return
      if (campaign.status === 'running' && (await pendingOf(tx, id)) === 0) return state.complete(tx, campaign)
      for (const lane of await tx.all(lanesOf, { campaignId: id }))
        if (lane.removed === 0) await state.wake(tx, campaign, lane, clock.now())
    })

  /**
   * Recipient lists whose loading was interrupted. Also removes campaigns that were being created with one or were
   * deleted.
   */
  async function endLoading(): Promise<void> {
    for (let afterSeq = 0, rows = PAGE; rows === PAGE;) {
      const campaigns = await db.read(loadingCampaigns, { afterSeq, rows: PAGE })
      for (const { id, accountId, loading: kind, idempotencyKey } of campaigns) {
        if (loading.isUnderWay(id)) continue
        if (kind === 2) await loading.removeAll(id)
        await db.commit(async (tx) => {
          await tx.run(setLoading, { id, from: 1, to: 0 })
          state.notify(tx, { id, accountId })
          if (kind !== 2) return
          await loading.removeCampaign(tx, id)
          if (idempotencyKey !== null) await idempotency.release(tx, accountId, idempotencyKey, id)
        })
      }
      afterSeq = campaigns.at(-1)?.seq ?? afterSeq
      rows = campaigns.length
    }
  }

  const isUnowned = (recipient: Recipient): boolean => unowned.get(sendKey(recipient)) === recipient.claimedAtMs

  const SWEPT = [() => endSends(isUnowned), endLoading, lateness.look, budgetHolds.look]

  async function run(acts: readonly (() => Promise<void>)[]): Promise<void> {
    for (const act of acts)
      await act().catch((error: unknown) => log.warn({ event: 'campaign.sweep_failed', cause: cause(error) }))
  }

  return {
    /** Runs before anything is sent. */
    async recover(): Promise<void> {
      await endLoading()
      await endSends(() => true)
    },
    start(): void {
      let sinceMs = clock.mono()
      timer = clock.every(LOOK_MS, () => {
        const isSweep = clock.mono() - sinceMs >= SWEEP_MS
        if (sweeping !== undefined || (!isSweep && !lateness.isDue())) return
        if (isSweep) sinceMs = clock.mono()
        // A change of the clock is no reason to check sends: two checks must be far apart.
        sweeping = run(isSweep ? SWEPT : [lateness.look]).finally(() => (sweeping = undefined))
      })
    },
    async stop(): Promise<void> {
      timer?.cancel()
      await sweeping
    },
  }
}
