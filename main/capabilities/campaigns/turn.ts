import type { SkipReason } from '../../contract/campaign.ts'
import type { Engine, Network } from '../../contract/shapes.ts'
import type { Tx } from '../../kernel/db.ts'
import { dueAt, dueIn, type Due } from '../../kernel/due.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { countryOf } from '../../kernel/phone-country.ts'
import type { BudgetLimits, BudgetRefusal } from '../costs/index.ts'
import type { KnownInstance } from '../instances/index.ts'
import { billedNumberOf } from './billed-numbers.ts'
import { addCounts, countMove, pendingOf } from './counts.ts'
import type { CampaignsDeps } from './deps.ts'
import type { NumberStates } from './links.ts'
import { sendKey } from './outcomes.ts'
import { categoryOf, type TemplateCategories } from './template-categories.ts'
import {
  assign,
  claimedBefore,
  claimedSince,
  markSending,
  markSkipped,
  oneHeld,
  releaseHeld,
  waitingFor,
  waitingCount,
  waitingForAny,
  type Recipient,
} from './recipient-store.ts'
import { createRotation, type Candidate } from './rotation.ts'
import { faultOf, renderMessage, type Fault } from './render.ts'
import { drawFor, seedOf } from './seed.ts'
import { hoursAt } from '../../contract/opening-hours.ts'
import { dayOf } from '../../kernel/time-zone.ts'
import { isUnderWay, type CampaignState } from './state.ts'
import {
  addToAssigned,
  checksOf,
  lanesOf,
  setBudgetWarned,
  setHasJob,
  setProgress,
  setRestricted,
  type Lane,
  type StoredCampaign,
} from './store.ts'

/** A recipient that is being sent to. */
export interface Claimed {
  readonly recipient: Recipient
  readonly variation: number
  /** How the network writes the number. */
  readonly to: string
}

/** What a number does next. */
export type Turn =
  | {
      readonly kind: 'send'
      readonly campaign: StoredCampaign
      readonly instance: KnownInstance
      readonly claimed: readonly Claimed[]
      readonly next: Due
      /** Nobody is left after them, as far as this number knows. */
      readonly isLast: boolean
    }
  /** These have to be looked up on the network first. */
  | { readonly kind: 'check'; readonly campaign: StoredCampaign; readonly phones: readonly string[] }
  /** Prices have to be read first. */
  | { readonly kind: 'prices'; readonly campaign: StoredCampaign; readonly instance: KnownInstance }
  | { readonly kind: 'wait'; readonly until: Due }
  | { readonly kind: 'stop' }

interface TurnDeps extends Pick<
  CampaignsDeps,
  'clock' | 'log' | 'safety' | 'optOuts' | 'messages' | 'config' | 'isSuspended' | 'instances' | 'costs'
> {
  readonly templates: Pick<TemplateCategories, 'known'>
  readonly numberState: NumberStates
  readonly state: CampaignState
}

interface Ask {
  readonly campaignId: string
  readonly instanceId: InstanceId
  /** Whether unknown numbers can be looked up now. */
  readonly canCheck: boolean
  /** How many sends may begin now. */
  readonly room: number
}

const HOUR_MS = 3_600_000
/** A wait is looked at again after this, since settings and clocks change. */
const LOOK_AGAIN_MS = 600_000
const COMING_MS = 2_000
/** How soon a campaign goes on once its account is active again. */
const SUSPENDED_MS = 10_000
/** How often a held number is checked: sooner where a whole campaign waits for it. */
const HELD_MS = 10_000
const OTHERS_SEND_MS = 60_000
/** Rows looked at in one commit. */
const LOOKED_AT = 100
const RELEASED_AT_ONCE = 500
/** Portions of recipients given out in one commit. */
const GIVEN_OUT_AT_ONCE = 4
/** A number that has to wait longer is given no recipients meanwhile. */
const PATIENCE_MS = 20 * 60_000
/** Recipients that are given to each number in advance. */
const AHEAD = { paced: 8, unpaced: 24 } as const
const CHECKED_AT_ONCE: Readonly<Record<Network, number>> = { live: 20, sandbox: 64 }
const CHECK_KEPT_MS = 30 * 24 * HOUR_MS

/**
 * How many sends of a number may be under way at once when there is no delay. One on a live phone: its line sends one after
 * another, and what else is sent from it must not wait behind a campaign.
 */
const AT_ONCE: Readonly<Record<Network, Readonly<Record<Engine, number>>>> = {
  live: { smv2: 1, official: 8 },
  sandbox: { smv2: 32, official: 32 },
}

const STOP: Turn = { kind: 'stop' }
const NOBODY = { kind: 'taken', claimed: [], untilMs: null, limitedUntilMs: null, refusal: null } as const

/** One step of one number of a campaign, decided and recorded in the caller's commit. */
export function createTurn(deps: TurnDeps) {
  const { clock, safety, optOuts, messages, instances, costs, templates, numberState, state } = deps
  const limited = createLimitedNumbers()

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
    const { instance, link, restrictedUntilMs, hold: held } = await numberState(tx, campaign.accountId, instanceId)
    if (link === 'coming') return { kind: 'wait', until: dueIn(clock, COMING_MS) }
    if (link === 'down' || instance === undefined) {
      await state.leave(tx, campaign, lane)
      return stop()
    }
    if (deps.isSuspended(campaign.accountId)) {
      // Stored as a pause that ends without a person. The record names the suspension.
      if (campaign.pauseReason !== 'no_instance') await state.pause(tx, campaign, 'no_instance')
      return { kind: 'wait', until: dueIn(clock, SUSPENDED_MS) }
    }
    if (held !== null) {
      const { canOthers } = await state.stepAside(tx, campaign, lane, held)
      return { kind: 'wait', until: dueIn(clock, canOthers ? OTHERS_SEND_MS : HELD_MS) }
    }
    const hours = hoursAt(campaign.config.window, now)
    if (!hours.isOpen) {
      if (campaign.pauseReason !== 'outside_window')
        await state.pause(tx, campaign, 'outside_window', hours.changesAtMs)
      return { kind: 'wait', until: dueAt(clock, Math.min(hours.changesAtMs, now + LOOK_AGAIN_MS)) }
    }
    const wait = (untilMs: number): Turn => ({
      kind: 'wait',
      until: dueAt(clock, Math.min(untilMs, hours.changesAtMs, now + LOOK_AGAIN_MS)),
    })
    const place = { campaignId, instanceId }
    const hold = async (untilMs: number): Promise<Turn> => {
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
    if (limits.untilMs !== null) return hold(limits.untilMs)
    const isUnpaced = campaign.config.maxDelay === 0
    const most = Math.min(room, limits.left, isUnpaced ? AT_ONCE[instance.network][instance.engine] : 1)
    const spending = await spendingOf(tx, campaign, instance)
    if (spending === undefined) return { kind: 'prices', campaign, instance }
    const ctx: Context = {
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
    if (found.untilMs !== null) return hold(found.untilMs)
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

  interface Context {
    readonly tx: Tx
    readonly campaign: StoredCampaign
    readonly lane: Lane
    readonly lanes: readonly Lane[]
    readonly instance: KnownInstance
    readonly now: number
    readonly canCheck: boolean
    readonly restrictedUntilMs: number | null
    /** null: no network charges for its messages. */
    readonly spending: Spending | null
    readonly most: number
  }

  interface Spending {
    readonly limits: BudgetLimits
    readonly categories: ReadonlyMap<string, string>
  }

  type Found =
    | { readonly kind: 'check'; readonly phones: readonly string[] }
    | {
        readonly kind: 'taken'
        readonly claimed: readonly Claimed[]
        readonly untilMs: number | null
        /** When the portfolio of this number can reach new people again. */
        readonly limitedUntilMs: number | null
        /** A budget does not cover the next message. */
        readonly refusal: BudgetRefusal | null
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

  /** Once for each budget. */
  async function warnOfBudget({ tx, campaign, spending, now }: Context): Promise<void> {
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

  /** Takes the next recipients of the number, skipping those who must not be written to. */
  async function take(ctx: Context): Promise<Found> {
    const { tx, campaign, lane, most } = ctx
    const { instanceId } = lane
    const ref = { campaignId: campaign.id, instanceId }
    const claimed: Claimed[] = []
    let givenOut = 0
    for (let looked = 0; looked < LOOKED_AT && claimed.length < most;) {
      const rows = await tx.all(waitingFor, { ...ref, rows: most - claimed.length })
      if (rows.length === 0) {
        if (givenOut++ >= GIVEN_OUT_AT_ONCE || !(await giveOut(ctx))) break
        continue
      }
      looked += rows.length
      const judged = await judge(ctx, rows)
      if (judged.kind === 'check') {
        if (claimed.length > 0) break
        return judged
      }
      for (const one of judged.send) {
        const verdict = await claim(ctx, one)
        if (verdict.kind === 'wait') return { ...NOBODY, claimed, untilMs: verdict.untilMs }
        if (verdict.kind === 'limited') return { ...NOBODY, claimed, limitedUntilMs: verdict.untilMs }
        if (verdict.kind === 'over_budget') return { ...NOBODY, claimed, refusal: verdict.refusal }
        if (verdict.kind === 'claimed') claimed.push(verdict.claimed)
      }
    }
    return { ...NOBODY, claimed }
  }

  type Judged =
    | { readonly kind: 'check'; readonly phones: readonly string[] }
    | { readonly kind: 'judged'; readonly send: readonly { recipient: Recipient; to: string; isCold: boolean }[] }

  async function judge(ctx: Context, rows: readonly Recipient[]): Promise<Judged> {
    const { tx, campaign, lane, instance, now, canCheck, restrictedUntilMs } = ctx
    const { config, accountId } = campaign
    const phones = rows.map(({ phone }) => phone)
    const optedOut = await optOuts.optedOutOf(tx, accountId, [lane.instanceId], phones)
    const isChecked = config.checkNumbers && instance.engine === 'smv2'
    const checks = isChecked ? await checksFor(tx, campaign.network, phones, now) : undefined
    const isGuarded = campaign.network === 'live' || restrictedUntilMs !== null
    const cold = isGuarded ? await safety.isCold(tx, lane.instanceId, phones) : undefined
    const instanceIds = ctx.lanes.map(({ instanceId }) => instanceId)
    const send: { recipient: Recipient; to: string; isCold: boolean }[] = []
    for (const recipient of rows) {
      const { phone } = recipient
      if (optedOut.has(phone)) {
        await skip(ctx, recipient, 'suppressed')
        continue
      }
      const known = checks?.get(phone)
      if (checks !== undefined && known === undefined && canCheck) {
        return { kind: 'check', phones: await uncheckedPhones(ctx) }
      }
      if (known === null) {
        await skip(ctx, recipient, 'invalid')
        continue
      }
      const hoursAgo = config.skipIfContactedHours
      if (hoursAgo !== null) {
        const lastAtMs = await messages.lastWrittenAtMs(tx, instanceIds, [...new Set([phone, known ?? phone])])
        if (lastAtMs !== null && lastAtMs > now - hoursAgo * HOUR_MS) {
          await skip(ctx, recipient, 'contacted')
          continue
        }
      }
      const fault = faultFor(campaign, recipient, instance.engine)
      if (fault !== undefined) {
        await skip(ctx, recipient, fault.reason)
        continue
      }
      send.push({ recipient, to: known ?? phone, isCold: cold?.has(phone) === true })
    }
    return { kind: 'judged', send }
  }

  async function uncheckedPhones({ tx, campaign, lane, now }: Context): Promise<string[]> {
    const rows = CHECKED_AT_ONCE[campaign.network]
    const next = await tx.all(waitingFor, { campaignId: campaign.id, instanceId: lane.instanceId, rows })
    const phones = next.map(({ phone }) => phone)
    const known = await checksFor(tx, campaign.network, phones, now)
    return phones.filter((phone) => !known.has(phone))
  }

  async function checksFor(
    tx: Tx,
    network: Network,
    phones: readonly string[],
    now: number,
  ): Promise<ReadonlyMap<string, string | null>> {
    const rest = { network, since: now - CHECK_KEPT_MS }
    const found = await checksOf.over(phones, rest, (statement, params) => tx.all(statement, params))
    return new Map(found.flat().map(({ phone, canonical }) => [phone, canonical]))
  }

  async function skip({ tx, campaign }: Context, { position, instanceId }: Recipient, reason: SkipReason) {
    const campaignId = campaign.id
    if ((await tx.run(markSkipped, { campaignId, position, reason })) === 0) return
    await addCounts(tx, { campaignId, instanceId: null, variation: null }, { pending: -1, skipped: 1 })
    if (instanceId !== null) await tx.run(addToAssigned, { campaignId, instanceId, by: -1 })
    state.notify(tx, campaign)
  }

  type Verdict =
    | { readonly kind: 'claimed'; readonly claimed: Claimed }
    | { readonly kind: 'wait'; readonly untilMs: number }
    | { readonly kind: 'limited'; readonly untilMs: number }
    | { readonly kind: 'over_budget'; readonly refusal: BudgetRefusal }
    | { readonly kind: 'given_away' }

  async function claim(
    { tx, campaign, lane, now, restrictedUntilMs, spending }: Context,
    { recipient, to, isCold }: { readonly recipient: Recipient; readonly to: string; readonly isCold: boolean },
  ): Promise<Verdict> {
    const { id: campaignId, accountId, config } = campaign
    const { instanceId } = lane
    const { position } = recipient
    const giveAway = async (): Promise<Verdict> => {
      await tx.run(assign, { campaignId, position, instanceId: null, held: 0 })
      await tx.run(addToAssigned, { campaignId, instanceId, by: -1 })
      return { kind: 'given_away' }
    }
    if (restrictedUntilMs !== null && isCold) return giveAway()
    const { variation } = drawFor(campaignId, position, config, campaign.messages.length)
    const kind = spending && { country: countryOf(to), category: categoryIn(spending.categories, variation) }
    const refusal = kind && spending.limits.refusalOf(kind)
    if (refusal !== null) return { kind: 'over_budget', refusal }
    if (campaign.network === 'live') {
      const answer = await safety.claim(tx, { accountId, instanceId, phone: to, cold: isCold, atMs: now, limits: {} })
      if (answer.kind === 'wait' && answer.reason === 'messaging_limit') {
        limited.note(instanceId, { untilMs: answer.untilMs, seenAtMs: now })
        return { kind: 'limited', untilMs: answer.untilMs }
      }
      if (answer.kind === 'wait') return { kind: 'wait', untilMs: answer.untilMs }
      if (answer.kind === 'granted') limited.forget(instanceId)
      if (answer.kind === 'refused') {
        // Until then the number writes to nobody it does not know; without an end it is looked at again.
        const untilMs = answer.untilMs ?? now + LOOK_AGAIN_MS
        await tx.run(setRestricted, { campaignId, instanceId, untilMs })
        await giveAway()
        return { kind: 'wait', untilMs: Math.min(untilMs, now + LOOK_AGAIN_MS) }
      }
    }
    const claimed = await tx.run(markSending, { campaignId, position, instanceId, variation, now })
    if (claimed === 0) return { kind: 'given_away' }
    if (kind !== null) {
      spending?.limits.take(kind)
      await costs.holds.hold(tx, { sendKey: sendKey(recipient), accountId, campaignId, ...kind })
    }
    await countMove(
      tx,
      { campaignId, instanceId: null, variation: null, status: 'pending' },
      { campaignId, instanceId, variation, status: 'sending' },
    )
    return { kind: 'claimed', claimed: { recipient: { ...recipient, instanceId, variation }, variation, to } }

    function categoryIn(categories: ReadonlyMap<string, string>, at: number): string | null {
      const message = campaign.messages[at - 1]
      return message === undefined ? null : categoryOf(message, categories)
    }
  }

  /** @returns when the number may send again. */
  async function record({ tx, campaign, lane, now }: Context, claimed: readonly Claimed[]): Promise<number> {
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

  /** Gives the next recipients to numbers that can send. @returns whether any were looked at. */
  async function giveOut(ctx: Context): Promise<boolean> {
    const { tx, campaign, now } = ctx
    const { id: campaignId, accountId, config } = campaign
    const usable: { lane: Lane; restrictedUntilMs: number | null }[] = []
    for (const lane of ctx.lanes) {
      if (lane.removed === 1) continue
      const { link, restrictedUntilMs, hold } = await numberState(tx, accountId, lane.instanceId)
      const isOwn = lane.instanceId === ctx.lane.instanceId
      if (!isOwn && limited.untilOf(lane.instanceId, now) !== null) continue
      const isPatient = isOwn || (lane.nextAtMs ?? 0) <= now + PATIENCE_MS
      const until = Math.max(restrictedUntilMs ?? 0, lane.restrictedUntilMs ?? 0)
      if (link === 'up' && hold === null && isPatient)
        usable.push({ lane, restrictedUntilMs: until > now ? until : null })
    }
    const ahead = config.maxDelay === 0 ? AHEAD.unpaced : AHEAD.paced
    const rows = await tx.all(waitingForAny, { campaignId, rows: ahead * usable.length })
    if (rows.length === 0) return false
    const phones = rows.map(({ phone }) => phone)
    const strangers = new Map<string, ReadonlySet<string>>()
    for (const { lane, restrictedUntilMs } of usable)
      if (restrictedUntilMs !== null) strangers.set(lane.instanceId, await safety.isCold(tx, lane.instanceId, phones))
    const shares = await Promise.all(usable.map(({ lane }) => shareOf(ctx, lane.instanceId)))
    const rotation = createRotation(campaign, shares)
    for (const { position, phone } of rows) {
      const chosen = rotation.next((instanceId) => strangers.get(instanceId)?.has(phone) !== true)
      const held = chosen === undefined ? 1 : 0
      await tx.run(assign, { campaignId, position, instanceId: chosen ?? null, held })
    }
    for (const { instanceId, given } of shares) {
      const by = (rotation.given().get(instanceId) ?? given) - given
      if (by !== 0) await tx.run(addToAssigned, { campaignId, instanceId, by })
    }
    for (const { lane } of usable)
      if (lane.instanceId !== ctx.lane.instanceId) await state.wake(tx, campaign, lane, now)
    return true
  }

  /** As of this moment: what was taken and skipped in this commit is counted. */
  async function shareOf({ tx, campaign, now }: Context, instanceId: InstanceId): Promise<Candidate> {
    const { id: campaignId, config } = campaign
    const lane = (await tx.all(lanesOf, { campaignId })).find((each) => each.instanceId === instanceId)
    const weight = config.weights[instanceId] ?? 1
    if (config.rotation === 'round_robin') return { instanceId, weight, given: lane?.assigned ?? 0, catchesUp: false }
    const today = dayOf(now, config.window?.timezone ?? deps.config.safetyTimezone).date
    const waiting = (await tx.one(waitingCount, { campaignId, instanceId }))?.count ?? 0
    return { instanceId, weight, given: (lane?.day === today ? lane.daySent : 0) + waiting, catchesUp: true }
  }

  /** The number has nobody to write to, although the campaign is not over. */
  async function idle(
    { tx, campaign, lane, lanes, restrictedUntilMs }: Context,
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

/** A number looks every minute whether it is still limited. One that was not seen for longer is asked again. */
const LIMIT_KNOWN_MS = 150_000

/** Numbers whose portfolio has used its messaging limit, as far as this process has seen. A hint: each claim decides. */
function createLimitedNumbers() {
  const seen = new Map<string, { readonly untilMs: number; readonly seenAtMs: number }>()
  return {
    note: (instanceId: string, limit: { readonly untilMs: number; readonly seenAtMs: number }) =>
      void seen.set(instanceId, limit),
    forget: (instanceId: string) => void seen.delete(instanceId),
    untilOf(instanceId: string, nowMs: number): number | null {
      const limit = seen.get(instanceId)
      if (limit === undefined) return null
      if (limit.untilMs > nowMs && nowMs - limit.seenAtMs < LIMIT_KNOWN_MS) return limit.untilMs
      seen.delete(instanceId)
      return null
    },
  }
}

/** The network would refuse it. This does not count as a failure of the number. */
function faultFor({ id, config, messages }: StoredCampaign, recipient: Recipient, engine: Engine): Fault | undefined {
  const { position } = recipient
  const message = messages[drawFor(id, position, config, messages.length).variation - 1]
  if (message === undefined) return undefined
  const variables = JSON.parse(recipient.variables ?? '{}') as Record<string, string>
  return faultOf(renderMessage(message, { ...recipient, variables }, engine, seedOf(id, position)), engine)
}

const progressOf = ({ sincePause, day, daySent }: Lane) => ({ sincePause, day, daySent })

async function hasMore(tx: Tx, campaignId: string, instanceId: InstanceId): Promise<boolean> {
  const own = await tx.one(waitingFor, { campaignId, instanceId, rows: 1 })
  return own !== undefined || (await tx.one(waitingForAny, { campaignId, rows: 1 })) !== undefined
}
