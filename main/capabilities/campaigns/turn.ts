import { hoursAt } from '../../contract/opening-hours.ts'
import type { Engine, Network } from '../../contract/shapes.ts'
import type { Tx } from '../../kernel/db.ts'
import { type Due, dueAt, dueIn } from '../../kernel/due.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { dayOf } from '../../kernel/time-zone.ts'
import type { KnownInstance } from '../instances/index.ts'
import { billedNumberOf } from './billed-numbers.ts'
import { pendingOf } from './counts.ts'
import { createGivingOut } from './giving-out.ts'
import { createLimitedNumbers } from './limited-numbers.ts'
import { createNextRecipients } from './next-recipients.ts'
import { claimedBefore, claimedSince, oneHeld, releaseHeld, waitingFor, waitingForAny } from './recipient-store.ts'
import { drawFor } from './seed.ts'
import { isUnderWay, spreadMs } from './state.ts'
import {
  type Lane,
  lanesOf,
  setBudgetWarned,
  setHasJob,
  setProgress,
  setRestricted,
  type StoredCampaign,
} from './store.ts'
import type { Claimed, TurnContext, TurnDeps } from './turn-context.ts'
import { LOOK_AGAIN_MS } from './waits.ts'

/** The next step of a number. */
export type Turn =
  | {
      readonly kind: 'send'
      readonly campaign: StoredCampaign
      readonly instance: KnownInstance
      readonly claimed: readonly Claimed[]
      readonly next: Due
      /** As far as this number knows, no recipients are left after these. */
      readonly isLast: boolean
    }
  /** These numbers have to be checked on the network first. */
  | { readonly kind: 'check'; readonly campaign: StoredCampaign; readonly phones: readonly string[] }
  /** Prices have to be read first. */
  | { readonly kind: 'prices'; readonly campaign: StoredCampaign; readonly instance: KnownInstance }
  | { readonly kind: 'wait'; readonly until: Due }
  | { readonly kind: 'stop' }

interface Ask {
  readonly campaignId: string
  readonly instanceId: InstanceId
  /** Whether unknown numbers can be looked up now. */
  readonly canCheck: boolean
  /** How many sends may start now. */
  readonly room: number
}

const HOUR_MS = 3_600_000
const COMING_MS = 2_000
/** How soon a campaign continues once its account is active again. */
const SUSPENDED_MS = 10_000
/** How often a held number is checked; more often if the whole campaign waits for it. */
const HELD_MS = 10_000
const OTHERS_SEND_MS = 60_000
const RELEASED_AT_ONCE = 500

/**
 * Limit of concurrent sends of a number without a delay. A live phone gets one: it sends messages one after another,
 * and other messages must not wait behind a campaign.
 */
const AT_ONCE: Readonly<Record<Network, Readonly<Record<Engine, number>>>> = {
  live: { smv2: 1, official: 8 },
  sandbox: { smv2: 32, official: 32 },
}

const STOP: Turn = { kind: 'stop' }

/** One step of one number of a campaign, decided and recorded in the caller's commit. */
export function createTurn(deps: TurnDeps) {
  const { clock, instances, costs, templates, numberState, state } = deps
  const limited = createLimitedNumbers()
  const take = createNextRecipients({ ...deps, limited, giveOut: createGivingOut({ ...deps, limited }) })

  return async function takeTurn(tx: Tx, { campaignId, instanceId, canCheck, room }: Ask): Promise<Turn> {
    const campaign = await state.load(tx, campaignId)
    const lanes = await tx.all(lanesOf, { campaignId })
    const lane = lanes.find((each) => each.instanceId === instanceId)
    if (campaign === undefined || lane === undefined) return STOP
    const stop = async (): Promise<Turn> => {
      await tx.run(setHasJob, { campaignId, instanceId, hasJob: 0 })
      return STOP
    }
    if (!isUnderWay(campaign) || lane.removed === 1) return stop()
    const now = clock.now()
    const { instance, link, restrictedUntilMs, hold, suspension } = await numberState(
      tx,
      campaign.accountId,
      instanceId,
    )
    if (link === 'coming') return { kind: 'wait', until: dueIn(clock, COMING_MS) }
    if (link === 'down' || instance === undefined) {
      await state.leave(tx, campaign, lane)
      return stop()
    }
    if (deps.isSuspended(campaign.accountId)) {
      // Stored as a pause that ends automatically. The record names the suspension.
      if (campaign.pauseReason !== 'no_instance') await state.pause(tx, campaign, 'no_instance')
      return { kind: 'wait', until: dueIn(clock, SUSPENDED_MS) }
    }
    if (suspension !== null && templates.known(instanceId, campaign.messages) === undefined)
      return { kind: 'prices', campaign, instance }
    const held = hold ?? templates.utilityHold(instanceId, campaign.messages, suspension)
    if (held !== null) {
      const { canOthers } = await state.stepAside(tx, campaign, lane, held)
      return { kind: 'wait', until: dueIn(clock, canOthers ? OTHERS_SEND_MS : HELD_MS) }
    }
    const hours = hoursAt(campaign.config.window, now)
    if (!hours.isOpen) {
      // The clock may have been set since the campaign was paused.
      if (campaign.pauseReason !== 'outside_window' || campaign.resumeAtMs !== hours.changesAtMs)
        await state.pause(tx, campaign, 'outside_window', hours.changesAtMs)
      const beginsAtMs = hours.changesAtMs + spreadMs(campaign, lanes, lane)
      return { kind: 'wait', until: dueAt(clock, Math.min(beginsAtMs, now + LOOK_AGAIN_MS)) }
    }
    const wait = (untilMs: number): Turn => ({
      kind: 'wait',
      until: dueAt(clock, Math.min(untilMs, hours.changesAtMs, now + LOOK_AGAIN_MS)),
    })
    const place = { campaignId, instanceId }
    const holdLane = async (untilMs: number): Promise<Turn> => {
      await tx.run(setProgress, { ...place, ...progressOf(lane), nextAtMs: untilMs })
      return wait(untilMs)
    }

    if (campaign.pauseReason === 'template' && (campaign.resumeAtMs ?? 0) > now)
      // Meta may end the pause earlier.
      return wait(Math.min(campaign.resumeAtMs ?? now, now + HELD_MS))
    if (restrictedUntilMs !== lane.restrictedUntilMs) {
      await tx.run(setRestricted, { ...place, untilMs: restrictedUntilMs })
      if (restrictedUntilMs === null) await tx.run(releaseHeld, { campaignId, rows: RELEASED_AT_ONCE })
    }
    if (lane.nextAtMs !== null && lane.nextAtMs > now) return wait(lane.nextAtMs)

    const limits = await limitsOf(tx, campaign, lane, now)
    if (limits.untilMs !== null) return holdLane(limits.untilMs)
    const isUnpaced = campaign.config.maxDelay === 0
    const most = Math.min(room, limits.left, isUnpaced ? AT_ONCE[instance.network][instance.engine] : 1)
    const spending = await spendingOf(tx, campaign, instance)
    if (spending === undefined) return { kind: 'prices', campaign, instance }
    const ctx: TurnContext = {
      ...{ tx, campaign, lane, lanes, instance, now, canCheck, restrictedUntilMs, spending },
      most,
    }
    const found = await take(ctx)
    if (found.kind === 'check') return { kind: 'check', campaign, phones: found.phones }
    if (found.claimed.length > 0) {
      if (campaign.status !== 'running') await state.run(tx, campaign)
      const next = dueAt(clock, await record(ctx, found.claimed))
      state.notify(tx, campaign)
      await warnOfBudget(ctx)
      const isLast = !(await hasMore(tx, campaignId, instanceId))
      return { kind: 'send', campaign, instance, claimed: found.claimed, next, isLast }
    }
    if (found.refusal !== null) {
      const { by } = found.refusal
      if (by === 'client' && !costs.budgets.isPrepared(campaign.accountId))
        return { kind: 'prices', campaign, instance }
      await state.waitForBudget(tx, campaign, found.refusal)
      return stop()
    }
    if (found.untilMs !== null) return holdLane(found.untilMs)
    if (found.limitedUntilMs !== null) {
      const untilOf = (other: string) => limited.untilOf(other, now)
      await state.waitForLimit(tx, campaign, lane, found.limitedUntilMs, untilOf)
      // Meta may raise the limit at any time.
      return wait(Math.min(found.limitedUntilMs, now + OTHERS_SEND_MS))
    }
    if ((await pendingOf(tx, campaignId)) === 0) {
      await state.complete(tx, campaign)
      return stop()
    }
    return idle(ctx, stop, wait)
  }

  /** undefined: the categories of its templates have to be read first. */
  async function spendingOf(tx: Tx, campaign: StoredCampaign, instance: KnownInstance) {
    const { id: campaignId, accountId, messages: variations, config } = campaign
    if (billedNumberOf(instances, accountId, instance) === null) return null
    const categories = templates.known(instance.id, variations)
    if (categories === undefined) return undefined
    const limits = await costs.budgets.limitsOf(tx, { accountId, campaignId, budget: config.budget })
    return { limits, categories }
  }

  /** Warns once for each budget. */
  async function warnOfBudget({ tx, campaign, spending, now }: TurnContext): Promise<void> {
    const isNear = (spending?.limits.campaign?.state ?? 'below') !== 'below'
    if (!isNear || campaign.budgetWarnedAtMs !== null) return
    const { id: campaignId } = campaign
    if ((await tx.run(setBudgetWarned, { id: campaignId, now })) > 0)
      tx.afterCommit(() => deps.log.info({ event: 'campaign.budget_warning', campaignId }))
  }

  async function limitsOf(
    tx: Tx,
    { id: campaignId, config }: StoredCampaign,
    lane: Lane,
    now: number,
  ): Promise<{ readonly untilMs: number | null; readonly left: number }> {
    const { instanceId, sincePause } = lane
    const day = dayOf(now, config.window?.timezone ?? deps.config.safetyTimezone)
    const daySent = lane.day === day.date ? lane.daySent : 0
    const leftToday = (config.dailyLimit ?? Infinity) - daySent
    if (leftToday <= 0) return { untilMs: day.endMs, left: 0 }
    const untilPause = config.pauseAfter === null ? Infinity : Math.max(1, config.pauseAfter - sincePause)
    const { hourlyLimit } = config
    if (hourlyLimit === null) return { untilMs: null, left: Math.min(leftToday, untilPause) }
    const ref = { campaignId, instanceId, since: now - HOUR_MS }
    const sent = (await tx.one(claimedSince, ref))?.count ?? 0
    const left = Math.min(leftToday, untilPause, hourlyLimit - sent)
    if (sent < hourlyLimit) return { untilMs: null, left }
    const last = await tx.one(claimedBefore, { ...ref, skipped: hourlyLimit - 1 })
    return { untilMs: (last?.claimedAtMs ?? now) + HOUR_MS, left: 0 }
  }

  /** @returns when the number may send again. */
  async function record({ tx, campaign, lane, now }: TurnContext, claimed: readonly Claimed[]): Promise<number> {
    const { id: campaignId, config, messages: variations } = campaign
    const last = claimed.at(-1)
    const draw = drawFor(campaignId, last?.recipient.position ?? 0, config, variations.length)
    const day = dayOf(now, config.window?.timezone ?? deps.config.safetyTimezone).date
    const daySent = (lane.day === day ? lane.daySent : 0) + claimed.length
    const sincePause = lane.sincePause + claimed.length
    const rests = config.pauseAfter !== null && sincePause >= config.pauseAfter
    const nextAtMs = now + (rests ? Math.max(draw.restMs, draw.delayMs) : draw.delayMs)
    const progress = { nextAtMs, sincePause: rests ? 0 : sincePause, day, daySent }
    await tx.run(setProgress, { campaignId, instanceId: lane.instanceId, ...progress })
    return nextAtMs
  }

  /** The number has no recipients, although the campaign has not ended. */
  async function idle(
    { tx, campaign, lane, lanes, restrictedUntilMs }: TurnContext,
    stop: () => Promise<Turn>,
    wait: (untilMs: number) => Turn,
  ): Promise<Turn> {
    const campaignId = campaign.id
    if (await hasMore(tx, campaignId, lane.instanceId)) return { kind: 'wait', until: dueIn(clock, 0) }
    if ((await tx.one(oneHeld, { campaignId })) === undefined) return stop()
    if (restrictedUntilMs === null) {
      await tx.run(releaseHeld, { campaignId, rows: RELEASED_AT_ONCE })
      return { kind: 'wait', until: dueIn(clock, 0) }
    }
    let untilMs = restrictedUntilMs
    for (const { instanceId, removed } of lanes) {
      if (removed === 1) continue
      const other = await numberState(tx, campaign.accountId, instanceId)
      if (other.link === 'down') continue
      if (other.restrictedUntilMs === null) return wait(restrictedUntilMs)
      untilMs = Math.min(untilMs, other.restrictedUntilMs)
    }
    if (campaign.pauseReason !== 'restricted') await state.pause(tx, campaign, 'restricted', untilMs)
    return wait(restrictedUntilMs)
  }
}

const progressOf = ({ sincePause, day, daySent }: Lane) => ({ sincePause, day, daySent })

async function hasMore(tx: Tx, campaignId: string, instanceId: InstanceId): Promise<boolean> {
  const own = await tx.one(waitingFor, { campaignId, instanceId, rows: 1 })
  return own !== undefined || (await tx.one(waitingForAny, { campaignId, rows: 1 })) !== undefined
}
