import { TRAITS } from '../../contract/engine-traits.ts'
import type { Evidence } from '../../engines/engine.ts'
import type { Span } from '../../kernel/time-zone.ts'
import { dailyLimit, limitsOf, ratingOf, reachOf, type Limits, type SafetySettings } from './limits.ts'
import { QUARTER_MS, type ClaimsRow, type CountsRow, type NumberRow } from './store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Meta withholds single messages of every number, so a share is meaningful only above this count. */
const ENOUGH_WITHHELD = 5
/** Interval of checks when the end of a limit is unknown. */
const LOOK_AGAIN_MS = 60_000
/** The restriction of a number that has started all the new chats that WhatsApp allows it. */
const NEW_CHATS_USED_UP = 'new_chats_used_up'

/** Why a number sends fewer messages than wanted, or none. */
export type ReasonCode =
  | 'banned'
  | 'restricted'
  | 'replies_restricted'
  | 'new_chats_used_up'
  | 'spam_limited'
  | 'messages_withheld'
  | 'quality_low'
  | 'quality_medium'
  | 'messaging_limit'
  | 'messaging_limit_unknown'
  | 'daily_limit'
  | 'hourly_limit'
  | 'first_contacts_limit'
  /** Set for claims only. */
  | 'spacing'
  | 'instance_deleted'
  | 'warm_up'

export interface Reason {
  readonly code: ReasonCode
  /** The problem, and what to do. */
  readonly message: string
  readonly untilMs: number | null
}

/** How much of its messaging limit a portfolio has used. */
interface ReachedFacts {
  /** Different people in the last 24 hours. */
  readonly people: number
  /** Additional people with granted messages that are not sent yet. */
  readonly claimed: number
  /** When the next new person may be reached; null: now. */
  readonly untilMs: number | null
}

/** The facts on which a decision about a number is based. */
export interface Facts {
  readonly nowMs: number
  readonly number: NumberRow
  readonly counts: CountsRow
  readonly claims: ClaimsRow
  readonly day: Span
  readonly hour: Span
  /** official on the live network only. */
  readonly reached: ReachedFacts | null
  readonly restriction: Evidence['restriction']
  readonly quality: Evidence['quality']
  readonly portfolio: Evidence['portfolio']
  readonly newChats: Evidence['newChats']
  readonly settings: SafetySettings
}

export interface Budget {
  readonly pairedDays: number | null
  readonly limits: Limits
  readonly sentToday: number
  readonly sentThisHour: number
  readonly firstContacts: number
  /** The same, including granted messages that are not sent yet. */
  readonly used: { readonly today: number; readonly hour: number; readonly firstContacts: number }
  readonly restriction: { readonly kind: string; readonly untilMs: number | null } | null
  /** What holds messages back, the worst first: either all messages, or those to new contacts. */
  readonly holds: readonly (Reason & { readonly holds: 'all' | 'cold' })[]
  /** Explanations of the limits. */
  readonly notes: readonly Reason[]
}

/** The remaining budget of a number, with reasons. */
export function budgetOf(facts: Facts): Budget {
  const { number, counts, claims, reached, portfolio, settings, nowMs } = facts
  const pairedDays = number.pairedAtMs === null ? null : Math.max(0, Math.floor((nowMs - number.pairedAtMs) / DAY_MS))
  const limits = limitsOf(number, pairedDays ?? 0, portfolio, settings)
  const { sharesLimit } = TRAITS[number.engine]
  const firstContacts = sharesLimit ? (reached?.people ?? 0) : counts.firstContactsToday
  const used = {
    today: counts.sentToday + claims.sends,
    hour: counts.sentThisHour + claims.sends,
    firstContacts: firstContacts + (sharesLimit ? (reached?.claimed ?? 0) : claims.cold),
  }
  const restriction = restrictionOf(facts)
  const network = [
    bannedHold,
    restrictedHold,
    newChatsHold,
    ...(number.network === 'live' ? [spamHold, withheldHold, qualityHold] : []),
  ]
  const holds = [...network.map((hold) => hold(facts)), ...limitHolds(facts, limits, used)]
  return {
    ...{ pairedDays, limits, firstContacts, used, restriction },
    sentToday: counts.sentToday,
    sentThisHour: counts.sentThisHour,
    holds: holds.filter((hold) => hold !== undefined),
    notes: [warmUpNote(facts, pairedDays), mediumNote(facts), unknownLimitNote(facts)].filter(
      (note) => note !== undefined,
    ),
  }
}

type Hold = Budget['holds'][number] | undefined

const isOver = (untilMs: number | null, nowMs: number) => untilMs !== null && untilMs <= nowMs

function banOf({ number, nowMs }: Facts): { untilMs: number | null } | undefined {
  const { loggedIn, lastDisconnectReason: reason, blockedUntilMs } = number
  if (loggedIn === 1) return undefined
  if (reason === 'banned') return { untilMs: null }
  return reason === 'temporary_ban' && !isOver(blockedUntilMs, nowMs) ? { untilMs: blockedUntilMs } : undefined
}

function restrictionOf(facts: Facts): Budget['restriction'] {
  const { restriction, nowMs } = facts
  if (restriction && !isOver(restriction.untilMs, nowMs)) {
    return { kind: restriction.kind, untilMs: restriction.untilMs }
  }
  const ban = banOf(facts)
  return ban ? { kind: ban.untilMs === null ? 'banned' : 'temporary_ban', untilMs: ban.untilMs } : null
}

function bannedHold(facts: Facts): Hold {
  const ban = banOf(facts)
  if (!ban) return undefined
  const message =
    ban.untilMs === null
      ? 'WhatsApp has banned this number. Request a review in the app on its phone, and send from another number.'
      : 'WhatsApp has banned this number for a while. Nothing can be sent until the ban ends. Send from another number until then.'
  return { code: 'banned', holds: 'all', message, untilMs: ban.untilMs }
}

function restrictedHold({ restriction, nowMs }: Facts): Hold {
  if (!restriction || isOver(restriction.untilMs, nowMs) || restriction.kind === NEW_CHATS_USED_UP) return undefined
  if (restriction.stops === 'replies') {
    const message =
      'Meta lets this number send nothing, not even replies. Read in the WhatsApp Manager what to change, and send from a number of another account until then.'
    return { code: 'replies_restricted', holds: 'all', message, untilMs: restriction.untilMs }
  }
  const message =
    'WhatsApp does not let this number start new chats. Campaigns and AI agents write only to people who already know it. Do not start chats yourself either: each attempt can make the restriction longer.'
  return { code: 'restricted', holds: 'cold', message, untilMs: restriction.untilMs }
}

/** Granted chats that were not started yet count as used, and are returned if they are not started. */
function newChatsHold({ restriction, newChats, claims, nowMs }: Facts): Hold {
  const isUsedUp = restriction?.kind === NEW_CHATS_USED_UP && !isOver(restriction.untilMs, nowMs)
  const isGranted = newChats && newChats.used + claims.cold >= newChats.limit
  if (!isUsedUp && !isGranted) return undefined
  const message =
    'This number has started all the new chats that WhatsApp allows it for now. Campaigns and AI agents write only to people who already know it. To reach new people earlier, use another number as well.'
  const untilMs = isUsedUp ? restriction.untilMs : nowMs + LOOK_AGAIN_MS
  return { code: 'new_chats_used_up', holds: 'cold', message, untilMs }
}

function spamHold({ counts, nowMs }: Facts): Hold {
  if (counts.lastSpamLimited === null) return undefined
  const untilMs = (counts.lastSpamLimited + 1) * QUARTER_MS + HOUR_MS
  if (untilMs <= nowMs) return undefined
  const message =
    'Meta limits this number because people blocked or reported its messages (error 131048). Campaigns and AI agents wait. Send only to people who asked for your messages.'
  return { code: 'spam_limited', holds: 'all', message, untilMs }
}

function withheldHold({ counts, settings, hour }: Facts): Hold {
  const { withheld, sent } = counts
  if (withheld < ENOUGH_WITHHELD || withheld * 100 < settings.safetyWithheldPercent * sent) return undefined
  const percent = Math.round((withheld * 100) / Math.max(sent, withheld))
  const message = `Meta withheld ${percent}% of this number's messages in the last 24 hours (error 131049). No new chats are started until the share falls. Send fewer marketing messages.`
  return { code: 'messages_withheld', holds: 'cold', message, untilMs: hour.endMs }
}

function qualityHold({ quality, hour }: Facts): Hold {
  if (ratingOf(quality) !== 'low') return undefined
  const message =
    'Meta rates the quality of this number as low. No new chats are started until the rating recovers. Answer the people who write to you, and send marketing messages only to those who asked for them.'
  return { code: 'quality_low', holds: 'cold', message, untilMs: hour.endMs }
}

function limitHolds({ number, reached, day, hour, nowMs }: Facts, limits: Limits, used: Budget['used']): Hold[] {
  const isReached = (limit: number | null, count: number) => limit !== null && count >= limit
  const holds: Hold[] = []
  if (isReached(limits.daily, used.today))
    holds.push({
      ...{ code: 'daily_limit', holds: 'all', untilMs: day.endMs },
      message: `This number has sent the ${limits.daily} messages it may send today. Campaigns and AI agents continue tomorrow. To send more today, use another number as well.`,
    })
  if (isReached(limits.hourly, used.hour))
    holds.push({
      ...{ code: 'hourly_limit', holds: 'all', untilMs: hour.endMs },
      message: `This number has sent the ${limits.hourly} messages it may send in this hour. Campaigns and AI agents continue in the next one. To send faster, use another number as well.`,
    })
  if (!isReached(limits.firstContacts, used.firstContacts)) return holds
  if (TRAITS[number.engine].sharesLimit) {
    holds.push({
      ...{ code: 'messaging_limit', holds: 'cold', untilMs: reached?.untilMs ?? nowMs + LOOK_AGAIN_MS },
      message: `The numbers of this portfolio have reached ${used.firstContacts} people in 24 hours, and Meta allows ${limits.firstContacts} for all of them together. People who wrote in the last 24 hours do not count. Wait, or use a number of another portfolio as well.`,
    })
  } else {
    holds.push({
      ...{ code: 'first_contacts_limit', holds: 'cold', untilMs: day.endMs },
      message: `This number has written to the ${limits.firstContacts} new people it may write to today. Campaigns and AI agents can still write to people who know it, and to new people again tomorrow. To reach more today, use another number as well.`,
    })
  }
  return holds
}

function warmUpNote({ number, settings }: Facts, pairedDays: number | null): Reason | undefined {
  const { safetyWarmupDays: days } = settings
  if (
    TRAITS[number.engine].sharesLimit ||
    number.network !== 'live' ||
    pairedDays === null ||
    number.pairedAtMs === null
  )
    return
  const limit = dailyLimit(pairedDays, settings)
  if (pairedDays >= days || limit >= settings.safetyDailyLimit) return undefined
  const message = `This number is new, so campaigns and AI agents send at most ${limit} messages a day from it. The limit rises until the number is ${days} days old. Use it for ordinary chats until then.`
  return { code: 'warm_up', message, untilMs: number.pairedAtMs + days * DAY_MS }
}

function mediumNote({ number, quality }: Facts): Reason | undefined {
  if (number.network !== 'live' || ratingOf(quality) !== 'medium') return undefined
  const message =
    'Meta rates the quality of this number as medium. If it falls further, no new chats are started. Send marketing messages only to people who asked for them.'
  return { code: 'quality_medium', message, untilMs: null }
}

function unknownLimitNote({ number, portfolio }: Facts): Reason | undefined {
  if (!TRAITS[number.engine].sharesLimit || number.network !== 'live') return undefined
  const limit = portfolio?.limit ?? null
  if (limit !== null && limit.source !== 'last_known') return undefined
  const people = reachOf(limit?.tier)
  const used =
    limit === null
      ? 'the limit of a new business applies: 250 people'
      : `the last known limit applies: ${people ?? 'unlimited'}`
  const message = `Meta does not say how many people this number may reach in 24 hours. Until it does, ${used}. Check in the WhatsApp Manager that the account is verified and complete.`
  return { code: 'messaging_limit_unknown', message, untilMs: null }
}
