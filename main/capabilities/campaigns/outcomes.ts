import type { CampaignStatus } from '../../contract/campaign.ts'
import type { RecipientStatus } from '../../contract/campaign-recipient.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Tx } from '../../kernel/db.ts'
import type { EventOf, Ledger } from '../../kernel/ledger.ts'
import { personKey } from '../../kernel/phone-number.ts'
import { addCounts, countMove } from './counts.ts'
import type { CountryRefusals } from './country-refusals.ts'
import type { CampaignsDeps } from './deps.ts'
import {
  lastReached,
  markOptedOut,
  markReplied,
  moveRecipient,
  putBack,
  putBackUndelivered,
  recipientAt,
  type Recipient,
} from './recipient-store.ts'
import { isUnderWay, type CampaignState } from './state.ts'
import { campaignsOfInstance, lanesOf, saveStreak, setRemoved, streakOf } from './store.ts'
import type { TemplateHolds } from './template-holds.ts'

/** Allowed changes of status once a recipient is being sent to. */
export const NEXT = {
  pending: [],
  sending: ['sent', 'failed', 'unknown'],
  unknown: ['sent', 'failed'],
  sent: ['delivered', 'failed'],
  delivered: ['read', 'failed'],
  read: [],
  failed: [],
  skipped: [],
} as const satisfies Record<RecipientStatus, readonly RecipientStatus[]>

const MOVES = ['message.sent', 'message.delivered', 'message.read', 'message.failed'] as const

interface Place {
  readonly campaignId: string
  readonly position: number
}

export interface Move extends Place {
  readonly to: RecipientStatus
  readonly atMs: number
  readonly messageId?: string | null
  readonly error?: { readonly code: string; readonly message: string }
  /** Set if the network has already accepted the message. */
  readonly key?: string
}

/**
 * The Idempotency-Key of a send.
 * @param recipient as claimed. If it already has a message, Meta accepted that one and did not deliver it.
 */
export const sendKey = ({ campaignId, position, messageId }: Pick<Recipient, keyof Place | 'messageId'>): string =>
  messageId === null ? nameOf({ campaignId, position }) : `${nameOf({ campaignId, position })}:${messageId}`

const nameOf = ({ campaignId, position }: Place): string => `cmp:${campaignId}:${position}`

/**
 * Errors that Meta reports for messages that it accepted and never delivered: a payment method is missing, or the
 * template was paused after an assessment.
 */
const NOT_DELIVERED: Readonly<Record<number, 'payment' | 'template'>> = { 131_042: 'payment', 132_015: 'template' }

/** Meta does not let the business send to the person's country. */
const COUNTRY_REFUSED = 130_497

/** Meta may drop messages after the pause has ended. If it still lasts, Meta refuses the next attempt. */
const TRIED_AGAIN_MS = 60_000
/** The share of failures is taken over this many sends. */
const RECENT = 50
const RECENT_ENOUGH = 10
const KEPT = LIMITS.campaignFailuresInRow
const REPLY_WITHIN_MS = 7 * 24 * 3_600_000
/** Errors about the number itself, which say nothing about the list. */
const NOT_COUNTED = ['reachout_restricted']
/** Campaigns that can still send. */
const GOES_ON: readonly CampaignStatus[] = ['running', 'paused', 'completed']

interface Verdict {
  readonly code: string | undefined
  readonly hasFailed: boolean
  readonly wasSent: boolean
}

/** Turns the last success into a failure: a message counted as sent has failed. */
function withLateFailure(recent: string): string {
  const at = recent.lastIndexOf('0')
  return at < 0 ? `${recent}1` : `${recent.slice(0, at)}1${recent.slice(at + 1)}`
}

export type Outcomes = ReturnType<typeof createOutcomes>

/** Updates recipients in the same commits that update their messages. */
export function createOutcomes({
  clock,
  contacts,
  costs,
  countries,
  state,
  waitForTemplate,
}: Pick<CampaignsDeps, 'clock' | 'contacts' | 'costs'> & {
  readonly countries: Pick<CountryRefusals, 'note'>
  readonly state: CampaignState
  readonly waitForTemplate: TemplateHolds['refused']
}) {
  /** Recipients whose result was recorded together with the message. The job that sent it removes them. */
  const settled = new Set<string>()

  async function move(tx: Tx, { to, atMs, messageId = null, error, key, ...place }: Move): Promise<boolean> {
    const recipient = await tx.one(recipientAt, place)
    if (recipient === undefined || !(NEXT[recipient.status] as readonly string[]).includes(to)) return false
    // Only the message's age changed, so nothing new is known.
    if (recipient.status === 'unknown' && error?.code === 'expired') return false
    const at = (status: RecipientStatus) => (to === status ? atMs : null)
    await tx.run(moveRecipient, {
      ...place,
      ...{ from: recipient.status, to, messageId },
      ...{ errorCode: error?.code ?? null, errorMessage: error?.message ?? null },
      ...{ sentAtMs: at('sent'), deliveredAtMs: at('delivered'), readAtMs: at('read') },
    })
    await countMove(tx, recipient, { ...recipient, status: to })
    const { accountId, phone, name } = recipient
    // The network does not charge for a failed message.
    if (to === 'failed') await costs.holds.release(tx, key ?? sendKey(recipient))
    if (to === 'sent' && name !== null) await contacts.nameOnce(tx, accountId, phone, name)
    if (recipient.status === 'sending') tx.afterCommit(() => settled.add(nameOf(place)))
    const verdict = { code: error?.code, hasFailed: to === 'failed', wasSent: recipient.sentAtMs !== null }
    if (to === 'sent' || to === 'failed') await judge(tx, place.campaignId, verdict)
    notify(tx, recipient)
    return true
  }

  const notify = (tx: Tx, { campaignId, accountId }: Recipient): void => state.notify(tx, { id: campaignId, accountId })

  /**
   * Pauses the campaign when too many of its last sends failed.
   * @param wasSent whether the send was counted as a success before.
   */
  async function judge(tx: Tx, campaignId: string, { code, hasFailed, wasSent }: Verdict): Promise<void> {
    if (code !== undefined && NOT_COUNTED.includes(code)) return
    const before = (await tx.one(streakOf, { campaignId }))?.recent ?? ''
    const recent = (wasSent ? withLateFailure(before) : `${before}${hasFailed ? 1 : 0}`).slice(-KEPT)
    await tx.run(saveStreak, { campaignId, recent })
    const campaign = hasFailed ? await state.load(tx, campaignId) : undefined
    if (campaign?.status !== 'running') return
    const { maxFailuresInRow, stopOnErrorPercent } = campaign.config
    const judged = recent.slice(-RECENT)
    const failures = judged.replaceAll('0', '').length
    const isTooMuch =
      stopOnErrorPercent !== null &&
      judged.length >= RECENT_ENOUGH &&
      100 * failures >= stopOnErrorPercent * judged.length
    const inRow = recent.length - recent.lastIndexOf('0') - 1
    if (isTooMuch || inRow >= (maxFailuresInRow ?? Infinity)) await state.pause(tx, campaign, 'error_threshold')
  }

  /** Nothing was sent: the recipient waits again. */
  async function putBackOne(tx: Tx, place: Place): Promise<void> {
    const recipient = await tx.one(recipientAt, place)
    if (recipient === undefined || (await tx.run(putBack, place)) === 0) return
    await costs.holds.release(tx, sendKey(recipient))
    const waiting = { campaignId: place.campaignId, instanceId: null, variation: null }
    await countMove(tx, recipient, { ...waiting, status: 'pending' })
    notify(tx, recipient)
  }

  type NotDelivered = Place & { key: string; messageId: string; waitsFor: 'payment' | 'template' }

  /** Puts the recipient back, to get a new message later. @returns whether it was put back. */
  async function sendAgainLater(tx: Tx, { key, messageId, waitsFor, ...place }: NotDelivered): Promise<boolean> {
    const [recipient, campaign] = [await tx.one(recipientAt, place), await state.load(tx, place.campaignId)]
    if (recipient === undefined || campaign === undefined || !GOES_ON.includes(campaign.status)) return false
    if ((await tx.run(putBackUndelivered, { ...place, messageId })) === 0) return false
    await costs.holds.release(tx, key)
    const waiting = { campaignId: place.campaignId, instanceId: null, variation: null }
    await countMove(tx, recipient, { ...waiting, status: 'pending' })
    if (recipient.status === 'sending') tx.afterCommit(() => settled.add(nameOf(place)))
    if (campaign.status === 'completed') await state.begin(tx, { ...campaign, finishedAtMs: null })
    else if (isUnderWay(campaign) && waitsFor === 'payment')
      for (const lane of await tx.all(lanesOf, { campaignId: campaign.id }))
        if (lane.removed === 0) await state.wake(tx, campaign, lane, clock.now())
    if (waitsFor === 'template') {
      const pausedUntilMs = clock.now() + TRIED_AGAIN_MS
      await waitForTemplate(tx, campaign.id, { isPaused: true, pausedUntilMs })
    }
    notify(tx, recipient)
    return true
  }

  async function replied(tx: Tx, event: EventOf<'message.received'>): Promise<void> {
    const { from, is_group: isGroup, from_me: isOwn } = event.data
    if (isGroup || isOwn || !/^\d+$/.test(from)) return
    const atMs = event.createdAtMs
    const recipient = await tx.one(lastReached, {
      ...{ accountId: event.accountId, canonical: personKey(from), since: atMs - REPLY_WITHIN_MS },
    })
    if (recipient === undefined || recipient.instanceId !== event.instanceId || recipient.status === 'failed') return
    const { campaignId, position } = recipient
    if ((await tx.run(markReplied, { campaignId, position, at: atMs })) === 0) return
    await addCounts(tx, recipient, { replied: 1 })
    notify(tx, recipient)
  }

  /** A number connected or disconnected. */
  async function linkChanged(tx: Tx, instanceId: string, isUp: boolean): Promise<void> {
    for (const { campaignId } of await tx.all(campaignsOfInstance, { instanceId })) {
      const campaign = await state.load(tx, campaignId)
      if (campaign === undefined || !isUnderWay(campaign)) continue
      const lane = (await tx.all(lanesOf, { campaignId })).find((each) => each.instanceId === instanceId)
      if (lane === undefined) continue
      if (isUp) await state.join(tx, campaign, lane)
      else await state.leave(tx, campaign, lane)
    }
  }

  async function moved(tx: Tx, event: EventOf<(typeof MOVES)[number]>): Promise<void> {
    if (event.origin?.kind !== 'campaign') return
    const { campaignId, position } = event.origin
    const place = { campaignId, position }
    const { message_id: messageId, status: to, timestamp } = event.data
    const key = event.data.idempotency_key ?? ''
    const code = event.type === 'message.failed' ? event.data.error.provider_code : null
    if (code === COUNTRY_REFUSED) tx.afterCommit(() => countries.note(event.instanceId, event.data.to, clock.now()))
    const waitsFor = code === null ? undefined : NOT_DELIVERED[code]
    if (waitsFor !== undefined && (await sendAgainLater(tx, { ...place, key, messageId, waitsFor }))) return
    const error = event.type === 'message.failed' ? { error: event.data.error } : {}
    await move(tx, { ...place, to: to as RecipientStatus, atMs: Date.parse(timestamp), messageId, key, ...error })
  }

  function follow(ledger: Pick<Ledger, 'inCommit'>): void {
    const phase = 'derive'
    const [up, down] = [['instance.connected'], ['instance.disconnected', 'instance.auth_failed']] as const
    ledger.inCommit({ phase, on: MOVES, run: moved })
    ledger.inCommit({ phase, on: ['message.received'], run: replied })
    ledger.inCommit({ phase, on: up, run: (tx, { instanceId }) => linkChanged(tx, instanceId, true) })
    ledger.inCommit({ phase, on: down, run: (tx, { instanceId }) => linkChanged(tx, instanceId, false) })
  }

  return {
    follow,
    move,
    putBack: putBackOne,
    /** Whether the send of this recipient was already recorded with its message. Forgets it. */
    takeSettled: (place: Place): boolean => settled.delete(nameOf(place)),

    async optedOut(tx: Tx, { accountId, phone, atMs }: { accountId: string; phone: string; atMs: number }) {
      const canonical = personKey(phone)
      const recipient = await tx.one(lastReached, { accountId, canonical, since: clock.now() - REPLY_WITHIN_MS })
      if (recipient === undefined || recipient.status === 'failed') return
      const { campaignId, position } = recipient
      if ((await tx.run(markOptedOut, { campaignId, position, at: atMs })) === 0) return
      await addCounts(tx, recipient, { opted_out: 1 })
      notify(tx, recipient)
    },

    /** The instance was deleted or moved to another account, and will not return. */
    async instanceDeleted(tx: Tx, instanceId: string): Promise<void> {
      await linkChanged(tx, instanceId, false)
      for (const { campaignId } of await tx.all(campaignsOfInstance, { instanceId })) {
        await tx.run(setRemoved, { campaignId, instanceId })
        const campaign = await state.load(tx, campaignId)
        if (campaign !== undefined) state.notify(tx, campaign)
      }
    },
  }
}
