import type { Hold } from '../engine.ts'
import { integerAt, recordAt, textAt, type Json } from './json.ts'

/** What Meta last said of a number; kept as JSON, so every field of an older form may be absent. */
export interface NumberFacts {
  readonly rating: string
  readonly messagingLimit: string
  readonly accountMode: string
  /** `STANDARD`, `HIGH`, or what Meta calls the next one. */
  readonly throughput: string
  /** The Business app on the phone goes on working beside us, at a fixed pace. */
  readonly isCoexistence: boolean
  /** The Cloud API carries the number already; registering it again would disturb it. */
  readonly isRegistered: boolean
  readonly restriction: { readonly kind: string; readonly sinceMs: number; readonly untilMs: number | null } | null
  readonly hold?: Hold | null
  /** The address of ours that Meta calls back for this number; null: none that we know of. */
  readonly callsBackTo: string | null
  readonly checkedAtMs: number
}

export interface NumberInfo {
  readonly number: string
  readonly name: string | null
  readonly facts: Omit<NumberFacts, 'restriction' | 'hold' | 'callsBackTo' | 'checkedAtMs'>
}

/** Asked of Graph for each number. */
export const INFO_FIELDS =
  'id,display_phone_number,verified_name,quality_rating,messaging_limit_tier,account_mode,platform_type,is_on_biz_app,throughput'

/** @returns undefined when it is no answer about a number. */
export function readInfo(body: Json): NumberInfo | undefined {
  const number = (textAt(body, 'display_phone_number') ?? '').replaceAll(/\D/g, '')
  if (number.length < 7 || number.length > 15) return undefined
  return {
    number,
    name: textAt(body, 'verified_name'),
    facts: {
      rating: textAt(body, 'quality_rating') ?? 'UNKNOWN',
      messagingLimit: textAt(body, 'messaging_limit_tier') ?? 'UNKNOWN',
      accountMode: textAt(body, 'account_mode') ?? 'UNKNOWN',
      throughput: textAt(recordAt(body, 'throughput'), 'level') ?? 'STANDARD',
      isCoexistence: body['is_on_biz_app'] === true,
      isRegistered: textAt(body, 'platform_type') === 'CLOUD_API',
    },
  }
}

const QUALITY_EVENTS: Readonly<Record<string, string>> = { FLAGGED: 'RED', UNFLAGGED: 'GREEN' }

/** What a callback `phone_number_quality_update` changes. */
export function afterQualityUpdate(facts: NumberFacts, value: Json): NumberFacts {
  const event = textAt(value, 'event') ?? ''
  const limit = textAt(value, 'max_daily_conversations_per_business') ?? textAt(value, 'current_limit')
  return {
    ...facts,
    rating: QUALITY_EVENTS[event] ?? facts.rating,
    messagingLimit: limit ?? facts.messagingLimit,
    throughput: event === 'THROUGHPUT_UPGRADE' ? 'HIGH' : facts.throughput,
  }
}

/** What a callback `account_update` means for the numbers of the account. */
export type AccountChange =
  | { readonly kind: 'banned' }
  | { readonly kind: 'reinstated' }
  | { readonly kind: 'restricted'; readonly restriction: NonNullable<NumberFacts['restriction']> }
  | { readonly kind: 'nothing' }

export function readAccountUpdate(value: Json, atMs: number): AccountChange {
  const event = textAt(value, 'event') ?? ''
  const state = textAt(recordAt(value, 'ban_info'), 'waba_ban_state')
  if (state === 'REINSTATE') return { kind: 'reinstated' }
  if (state === 'DISABLE' || event === 'ACCOUNT_DELETED') return { kind: 'banned' }
  if (event !== 'ACCOUNT_RESTRICTION') return { kind: 'nothing' }
  const restrictions = value['restriction_info']
  const first: unknown = Array.isArray(restrictions) ? restrictions[0] : undefined
  const info = typeof first === 'object' && first !== null ? (first as Json) : {}
  const kind = textAt(info, 'restriction_type') ?? 'RESTRICTED'
  const seconds = integerAt(info, 'expiration')
  return {
    kind: 'restricted',
    restriction: { kind, sinceMs: atMs, untilMs: seconds === null ? null : seconds * 1_000 },
  }
}

/** To one person: a message in six seconds, and 45 in advance that are paid back. */
export const TO_ONE = { everyMs: 6_000, burst: 45 } as const

/** Messages a second that Meta takes from a number. */
export function perSecond({ isCoexistence, throughput }: Pick<NumberFacts, 'isCoexistence' | 'throughput'>): number {
  if (isCoexistence) return 20
  return throughput === 'HIGH' ? 1_000 : 80
}
