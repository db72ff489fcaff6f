import { TRAITS } from '../../contract/engine-traits.ts'
import type { Engine, Network } from '../../contract/shapes.ts'
import type { Tx } from '../../kernel/db.ts'
import { countryOf } from '../../kernel/phone-country.ts'
import type { BudgetRefusal } from '../costs/index.ts'
import { countMove } from './counts.ts'
import type { LimitedNumbers } from './limited-numbers.ts'
import { sendKey } from './outcomes.ts'
import { skipRecipient } from './recipient-skip.ts'
import { assign, markSending, type Recipient, waitingFor } from './recipient-store.ts'
import { type Fault, faultOf, renderMessage } from './render.ts'
import { drawFor, seedOf } from './seed.ts'
import { addToAssigned, checksOf, setRestricted, type StoredCampaign } from './store.ts'
import { categoryOf } from './template-categories.ts'
import type { Claimed, TurnContext, TurnDeps } from './turn-context.ts'
import { LOOK_AGAIN_MS } from './waits.ts'

const HOUR_MS = 3_600_000
/** Rows read in one commit. */
const LOOKED_AT = 100
/** Portions of recipients assigned in one commit. */
const GIVEN_OUT_AT_ONCE = 4
const CHECKED_AT_ONCE: Readonly<Record<Network, number>> = { live: 20, sandbox: 64 }
const CHECK_KEPT_MS = 30 * 24 * HOUR_MS
const NOBODY = { kind: 'taken', claimed: [], untilMs: null, limitedUntilMs: null, refusal: null } as const

/** The recipients that a number can send to next. */
export type Found =
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

type Judged =
  | { readonly kind: 'check'; readonly phones: readonly string[] }
  | { readonly kind: 'judged'; readonly send: readonly { recipient: Recipient; to: string; isCold: boolean }[] }

type Verdict =
  | { readonly kind: 'claimed'; readonly claimed: Claimed }
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'limited'; readonly untilMs: number }
  | { readonly kind: 'over_budget'; readonly refusal: BudgetRefusal }
  | { readonly kind: 'given_away' }

interface NextRecipientsDeps extends Pick<
  TurnDeps,
  'safety' | 'optOuts' | 'messages' | 'costs' | 'countries' | 'state'
> {
  readonly limited: LimitedNumbers
  /** Assigns the next recipients to numbers that can send. @returns whether any were read. */
  readonly giveOut: (ctx: TurnContext) => Promise<boolean>
}

/** Takes the next recipients of a number, and skips those who must not get a message. */
export function createNextRecipients(deps: NextRecipientsDeps) {
  const { safety, optOuts, messages, costs, countries, state, limited, giveOut } = deps

  return take

  async function take(ctx: TurnContext): Promise<Found> {
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

  async function judge(ctx: TurnContext, rows: readonly Recipient[]): Promise<Judged> {
    const { tx, campaign, lane, instance, now, canCheck, restrictedUntilMs } = ctx
    const { config, accountId } = campaign
    const phones = rows.map(({ phone }) => phone)
    const optedOut = await optOuts.optedOutOf(tx, accountId, [lane.instanceId], phones)
    const isChecked = config.checkNumbers && TRAITS[instance.engine].checksNumbers
    const checks = isChecked ? await checksFor(tx, campaign.network, phones, now) : undefined
    const isGuarded = campaign.network === 'live' || restrictedUntilMs !== null
    const cold = isGuarded ? await safety.isCold(tx, lane.instanceId, phones) : undefined
    const instanceIds = ctx.lanes.map(({ instanceId }) => instanceId)
    const send: { recipient: Recipient; to: string; isCold: boolean }[] = []
    for (const recipient of rows) {
      const { phone } = recipient
      if (optedOut.has(phone)) {
        await skipRecipient(state, ctx, recipient, 'suppressed')
        continue
      }
      const known = checks?.get(phone)
      if (checks !== undefined && known === undefined && canCheck) {
        return { kind: 'check', phones: await uncheckedPhones(ctx) }
      }
      if (known === null) {
        await skipRecipient(state, ctx, recipient, 'invalid')
        continue
      }
      const hoursAgo = config.skipIfContactedHours
      if (hoursAgo !== null) {
        const lastAtMs = await messages.lastWrittenAtMs(tx, instanceIds, [...new Set([phone, known ?? phone])])
        if (lastAtMs !== null && lastAtMs > now - hoursAgo * HOUR_MS) {
          await skipRecipient(state, ctx, recipient, 'contacted')
          continue
        }
      }
      const fault = faultFor(campaign, recipient, instance.engine)
      if (fault !== undefined) {
        await skipRecipient(state, ctx, recipient, fault.reason)
        continue
      }
      send.push({ recipient, to: known ?? phone, isCold: cold?.has(phone) === true })
    }
    return { kind: 'judged', send }
  }

  async function uncheckedPhones({ tx, campaign, lane, now }: TurnContext): Promise<string[]> {
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

  async function claim(
    { tx, campaign, lane, now, restrictedUntilMs, spending }: TurnContext,
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
    if ((restrictedUntilMs !== null && isCold) || countries.has(instanceId, recipient.phone, now)) return giveAway()
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
        // Until then the number sends to known contacts only. If the end is unknown, it is checked again later.
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
}

/** The network would refuse it. This does not count as a failure of the number. */
function faultFor({ id, config, messages }: StoredCampaign, recipient: Recipient, engine: Engine): Fault | undefined {
  const { position } = recipient
  const message = messages[drawFor(id, position, config, messages.length).variation - 1]
  if (message === undefined) return undefined
  const variables = JSON.parse(recipient.variables ?? '{}') as Record<string, string>
  return faultOf(renderMessage(message, { ...recipient, variables }, engine, seedOf(id, position)), engine)
}
