import type { Hold, Portfolio } from '../engine.ts'
import { integerAt, recordAt, textAt, type Json } from './json.ts'

/** A messaging limit as Meta names it: `TIER_250`, `TIER_2K` … `TIER_UNLIMITED`. */
interface KnownLimit {
  readonly tier: string
  /** The field of the number, or a callback. */
  readonly source: 'number' | 'callback'
  readonly atMs: number
}

/** A limit that Meta put on an account, under Meta's name for it. */
export interface Restriction {
  readonly kind: string
  readonly sinceMs: number
  /** null: no end date. */
  readonly untilMs: number | null
}

/** A report from Meta about a number or its account, for a person to read. */
export interface Notice {
  /** From notices.ts. */
  readonly code: string
  /** Meta's own text or ids; '' if there are none. */
  readonly detail: string
  readonly sinceMs: number
}

/** What Meta last reported about a number. Stored as JSON; rows of older versions may lack any field. */
export interface NumberFacts {
  readonly rating: string
  readonly accountMode: string
  /** The last limit that Meta named. All numbers of a portfolio share it, so the latest one applies to each of them. */
  readonly limit?: KnownLimit | null
  /** When Meta last answered without a limit. */
  readonly limitSilentAtMs?: number | null
  /** Meta's id of the business that owns the account of the number. */
  readonly portfolio?: { readonly id: string; readonly checkedAtMs: number } | null
  /** `STANDARD`, `HIGH`, or a later name of Meta's. */
  readonly throughput: string
  /** The number is also used in the Business app on the phone (coexistence), and sends at a fixed rate. */
  readonly isCoexistence: boolean
  /** The number is registered with the Cloud API; registering it again would disturb it. */
  readonly isRegistered: boolean
  readonly restrictions?: readonly Restriction[]
  readonly hold?: Hold | null
  /** Meta ended our access to the account. */
  readonly removed?: { readonly reason: string; readonly sinceMs: number } | null
  readonly violation?: { readonly type: string; readonly sinceMs: number } | null
  /** The username that was last released from here. */
  readonly releasedUsername?: string | null
  /** Notices for a person, oldest first. */
  readonly notices?: readonly Notice[]
  /** Webhook fields that the app at Meta is not subscribed to. */
  readonly fields?: { readonly missing: readonly string[]; readonly checkedAtMs: number } | null
  /** How many templates its business account has and can have; null: Meta does not say. */
  readonly templates?: {
    readonly count: number | null
    readonly limit: number | null
    readonly checkedAtMs: number
  } | null
  /** Our callback URL that Meta uses for this number; null: none is known. */
  readonly callsBackTo: string | null
  readonly checkedAtMs: number
}

export interface NumberInfo {
  readonly number: string
  readonly name: string | null
  readonly facts: Pick<NumberFacts, 'rating' | 'accountMode' | 'throughput' | 'isCoexistence' | 'isRegistered'>
  /** null: Meta sends none, or an unknown value. */
  readonly limit: string | null
}

/** Fields requested from Graph for each number. */
export const INFO_FIELDS =
  'id,display_phone_number,verified_name,quality_rating,whatsapp_business_manager_messaging_limit,messaging_limit_tier,account_mode,platform_type,is_on_biz_app,throughput'

/** @returns undefined when the answer does not describe a number. */
export function readInfo(body: Json): NumberInfo | undefined {
  const number = (textAt(body, 'display_phone_number') ?? '').replaceAll(/\D/g, '')
  if (number.length < 7 || number.length > 15) return undefined
  return {
    number,
    name: textAt(body, 'verified_name'),
    facts: {
      rating: textAt(body, 'quality_rating') ?? 'UNKNOWN',
      accountMode: textAt(body, 'account_mode') ?? 'UNKNOWN',
      throughput: textAt(recordAt(body, 'throughput'), 'level') ?? 'STANDARD',
      isCoexistence: body['is_on_biz_app'] === true,
      isRegistered: textAt(body, 'platform_type') === 'CLOUD_API',
    },
    // The second field is the older one; Meta has left it empty since August 2026.
    limit: tierAt(body, 'whatsapp_business_manager_messaging_limit') ?? tierAt(body, 'messaging_limit_tier'),
  }
}

/** @returns the facts after an answer about the number. */
export function afterAnswer(before: Partial<NumberFacts>, { facts, limit }: NumberInfo, nowMs: number) {
  const known: Partial<NumberFacts> =
    limit === null
      ? { limitSilentAtMs: nowMs }
      : { limit: { tier: limit, source: 'number', atMs: nowMs }, limitSilentAtMs: null }
  return { ...before, ...facts, ...known, checkedAtMs: nowMs }
}

/** Meta writes a limit as `TIER_2K` or, in some callbacks, as a number of people, with -1 for no limit. */
function tierAt(value: Json, name: string): string | null {
  const people = integerAt(value, name)
  if (people === -1) return 'TIER_UNLIMITED'
  if (people !== null)
    return people > 0 ? `TIER_${people >= 1_000 && people % 1_000 === 0 ? `${people / 1_000}K` : people}` : null
  const tier = textAt(value, name)
  return tier !== null && /^TIER_(?:\d{1,9}K?|UNLIMITED)$/.test(tier) ? tier : null
}

/** Applies a callback `business_capability_update`. A late one does not overwrite newer facts. */
export function afterCapabilityUpdate(facts: NumberFacts, value: Json, atMs: number): NumberFacts {
  const tier = tierAt(value, 'max_daily_conversations_per_business') ?? tierAt(value, 'current_limit')
  const knownAtMs = Math.max(facts.limit?.atMs ?? 0, facts.limitSilentAtMs ?? 0)
  // Callback times are whole seconds.
  if (tier === null || atMs < Math.floor(knownAtMs / 1_000) * 1_000) return facts
  return { ...facts, limit: { tier, source: 'callback', atMs }, limitSilentAtMs: null }
}

/** The limit that the numbers of a portfolio share: the latest that Meta named for any of them. */
export function limitOfPortfolio(numbers: readonly (NumberFacts | null)[]): Portfolio['limit'] {
  const limits = numbers.flatMap((facts) => facts?.limit ?? [])
  const latest = limits.toSorted((one, other) => other.atMs - one.atMs)[0]
  if (latest === undefined) return null
  const silentAtMs = Math.max(0, ...numbers.map((facts) => facts?.limitSilentAtMs ?? 0))
  return silentAtMs > latest.atMs ? { ...latest, source: 'last_known' } : latest
}

/**
 * Applies a callback `phone_number_quality_update`. Despite its name it no longer reports the quality, which has to
 * be requested.
 */
export function afterQualityUpdate(facts: NumberFacts, value: Json, atMs: number): NumberFacts {
  const isFaster = textAt(value, 'event') === 'THROUGHPUT_UPGRADE'
  return afterCapabilityUpdate(isFaster ? { ...facts, throughput: 'HIGH' } : facts, value, atMs)
}

/**
 * Meta's limit for one recipient: one message every six seconds, with a burst of 45 that counts against later
 * messages.
 */
export const TO_ONE = { everyMs: 6_000, burst: 45 } as const

/** Messages per second that Meta accepts from a number. */
export function perSecond({ isCoexistence, throughput }: Pick<NumberFacts, 'isCoexistence' | 'throughput'>): number {
  if (isCoexistence) return 20
  return throughput === 'HIGH' ? 1_000 : 80
}
