import type { InstanceId } from '../../kernel/ids.ts'
import { dayOf } from '../../kernel/time-zone.ts'
import type { LimitedNumbers } from './limited-numbers.ts'
import { skipRecipient } from './recipient-skip.ts'
import { assign, waitingCount, waitingForAny } from './recipient-store.ts'
import { type Candidate, createRotation } from './rotation.ts'
import { addToAssigned, type Lane, lanesOf } from './store.ts'
import type { TurnContext, TurnDeps } from './turn-context.ts'

/** A number that has to wait longer gets no recipients meanwhile. */
const PATIENCE_MS = 20 * 60_000
/** Number of recipients assigned to each number in advance. */
const AHEAD = { paced: 8, unpaced: 24 } as const

interface GivingOutDeps extends Pick<
  TurnDeps,
  'safety' | 'countries' | 'numberState' | 'state' | 'templates' | 'config'
> {
  readonly limited: LimitedNumbers
}

/** Assigns the recipients of a campaign to its numbers. */
export function createGivingOut({
  safety,
  countries,
  numberState,
  state,
  templates,
  config: settings,
  limited,
}: GivingOutDeps) {
  return giveOut

  /** @returns whether there were recipients to assign. */
  async function giveOut(ctx: TurnContext): Promise<boolean> {
    const { tx, campaign, now } = ctx
    const { id: campaignId, accountId, config } = campaign
    const usable: { lane: Lane; restrictedUntilMs: number | null }[] = []
    for (const lane of ctx.lanes) {
      if (lane.removed === 1) continue
      const { link, restrictedUntilMs, hold, suspension } = await numberState(tx, accountId, lane.instanceId)
      const isOwn = lane.instanceId === ctx.lane.instanceId
      if (!isOwn && limited.untilOf(lane.instanceId, now) !== null) continue
      const isPatient = isOwn || (lane.nextAtMs ?? 0) <= now + PATIENCE_MS
      const until = Math.max(restrictedUntilMs ?? 0, lane.restrictedUntilMs ?? 0)
      const isHeld = hold !== null || templates.utilityHold(lane.instanceId, campaign.messages, suspension) !== null
      if (link === 'up' && !isHeld && isPatient) usable.push({ lane, restrictedUntilMs: until > now ? until : null })
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
    for (const recipient of rows) {
      const { position, phone } = recipient
      const isRefused = (instanceId: string) => countries.has(instanceId, phone, now)
      if (usable.length > 0 && usable.every(({ lane }) => isRefused(lane.instanceId))) {
        await skipRecipient(state, ctx, recipient, 'country_refused')
        continue
      }
      const chosen = rotation.next(
        (instanceId) => strangers.get(instanceId)?.has(phone) !== true && !isRefused(instanceId),
      )
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

  /** The current share: recipients taken and skipped in this commit are included. */
  async function shareOf({ tx, campaign, now }: TurnContext, instanceId: InstanceId): Promise<Candidate> {
    const { id: campaignId, config } = campaign
    const lane = (await tx.all(lanesOf, { campaignId })).find((each) => each.instanceId === instanceId)
    const weight = config.weights[instanceId] ?? 1
    if (config.rotation === 'round_robin') return { instanceId, weight, given: lane?.assigned ?? 0, catchesUp: false }
    const today = dayOf(now, config.window?.timezone ?? settings.safetyTimezone).date
    const waiting = (await tx.one(waitingCount, { campaignId, instanceId }))?.count ?? 0
    return { instanceId, weight, given: (lane?.day === today ? lane.daySent : 0) + waiting, catchesUp: true }
  }
}
