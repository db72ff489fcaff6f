import type { Evidence } from '../engine.ts'
import { integerAt, recordAt, recordsAt, textAt, type Json } from './json.ts'
import type { NumberFacts, Restriction } from './number-facts.ts'

/** What a restriction stops. */
type Effect = 'new_chats' | 'replies' | 'utility_templates' | 'calls' | 'adding_numbers' | 'other'

/** In this order: a restriction of calls also names who begins them. */
const EFFECTS: readonly (readonly [pattern: RegExp, effect: Effect])[] = [
  [/CALL/, 'calls'],
  [/ADD_PHONE_NUMBER/, 'adding_numbers'],
  [/UTILITY/, 'utility_templates'],
  [/(?:CUSTOMER|USER)_INITIATED/, 'replies'],
  [/(?:BIZ|BUSINESS)_INITIATED/, 'new_chats'],
]

const effectOf = (kind: string): Effect => EFFECTS.find(([pattern]) => pattern.test(kind))?.[1] ?? 'other'

/** What a callback `account_update` means for the numbers of the account. */
type AccountChange =
  | { readonly kind: 'banned' }
  /** Meta ended a ban or a removal. */
  | { readonly kind: 'reinstated' }
  | { readonly kind: 'restricted'; readonly restrictions: readonly Restriction[] }
  /** The account is no longer ours to use. */
  | { readonly kind: 'removed'; readonly reason: string }
  | { readonly kind: 'violation'; readonly type: string }
  | { readonly kind: 'nothing' }

const REMOVALS: readonly string[] = ['PARTNER_REMOVED', 'PARTNER_APP_UNINSTALLED', 'ACCOUNT_OFFBOARDED']

export function readAccountUpdate(value: Json, atMs: number): AccountChange {
  const event = textAt(value, 'event') ?? ''
  const state = textAt(recordAt(value, 'ban_info'), 'waba_ban_state')
  if (state === 'REINSTATE' || event === 'ACCOUNT_RECONNECTED') return { kind: 'reinstated' }
  if (state === 'DISABLE' || event === 'ACCOUNT_DELETED') return { kind: 'banned' }
  if (REMOVALS.includes(event)) {
    return { kind: 'removed', reason: textAt(recordAt(value, 'disconnection_info'), 'reason') ?? event }
  }
  if (event === 'ACCOUNT_VIOLATION') {
    return { kind: 'violation', type: textAt(recordAt(value, 'violation_info'), 'violation_type') ?? 'UNKNOWN' }
  }
  if (event !== 'ACCOUNT_RESTRICTION') return { kind: 'nothing' }
  const restrictions = recordsAt(value, 'restriction_info').map((info): Restriction => {
    const seconds = integerAt(info, 'expiration')
    return {
      kind: textAt(info, 'restriction_type') ?? 'RESTRICTED',
      sinceMs: atMs,
      untilMs: seconds === null ? null : seconds * 1_000,
    }
  })
  return { kind: 'restricted', restrictions }
}

/** What is known of the account after the change. A restriction of the same kind replaces the one before. */
export function afterAccountChange(facts: NumberFacts, change: AccountChange, atMs: number): NumberFacts {
  switch (change.kind) {
    case 'restricted': {
      const kinds = change.restrictions.map(({ kind }) => kind)
      const others = (facts.restrictions ?? []).filter(
        ({ kind, untilMs }) => !kinds.includes(kind) && (untilMs === null || untilMs > atMs),
      )
      return { ...facts, restrictions: [...others, ...change.restrictions] }
    }
    case 'removed':
      return { ...facts, removed: { reason: change.reason, sinceMs: atMs } }
    case 'violation':
      return { ...facts, violation: { type: change.type, sinceMs: atMs } }
    case 'reinstated':
      return { ...facts, restrictions: [], removed: null }
    case 'banned':
    case 'nothing':
      return facts
  }
}

/** Meta does not always say when it ends a restriction. */
export const withoutEndless = (facts: NumberFacts): NumberFacts => ({
  ...facts,
  restrictions: (facts.restrictions ?? []).filter(({ untilMs }) => untilMs !== null),
})

const activeOf = (facts: NumberFacts | null, nowMs: number) =>
  (facts?.restrictions ?? []).filter(({ untilMs }) => untilMs === null || untilMs > nowMs)

/** What keeps the number from writing: to everybody, or to people who have not written. */
export function restrictionOf(facts: NumberFacts | null, nowMs: number): Evidence['restriction'] {
  const active = activeOf(facts, nowMs)
  const stopping = (effects: readonly Effect[]) =>
    active
      .filter(({ kind }) => effects.includes(effectOf(kind)))
      .toSorted((one, other) => (other.untilMs ?? Infinity) - (one.untilMs ?? Infinity))[0]
  const replies = stopping(['replies'])
  if (replies !== undefined) return { ...replies, stops: 'replies' }
  return stopping(['new_chats', 'other']) ?? null
}

type Issue = NonNullable<Evidence['issues']>[number]

const VIOLATION_SHOWN_MS = 7 * 86_400_000

const WORDS: Readonly<Partial<Record<Effect, string>>> = {
  utility_templates:
    'Meta does not let this account send utility templates. Other messages are sent. Read in the WhatsApp Manager what to change, and use marketing templates or replies until then.',
  calls:
    'Meta does not let this account make or take calls as before. Messages are sent. Read in the WhatsApp Manager what to change.',
  adding_numbers:
    'Meta does not let this account add phone numbers. The numbers that it has work. Read in the WhatsApp Manager what to change.',
}

/** Why Meta took the account away, by its `disconnection_info.reason` or its event. */
const REMOVED: Readonly<Record<string, string>> = {
  PRIMARY_INACTIVITY:
    'The phone of this number was not used for 14 days, so Meta ended the connection. Open the WhatsApp Business app on it, then connect the number again.',
  COMPANION_INACTIVITY: 'This number was not used for 30 days, so Meta ended the connection. Connect it again.',
  CHANGE_NUMBER: 'The phone has another number now, so Meta ended the connection. Connect the new number.',
  BUSINESS_DOWNGRADE:
    'The phone uses the WhatsApp app instead of the WhatsApp Business app, so Meta ended the connection. Install the Business app, then connect the number again.',
  USER_RE_REGISTERED:
    'Somebody registered this number again on a phone, so Meta ended the connection. Connect it again.',
  ACCOUNT_DISCONNECTED:
    'Somebody disconnected this number in the WhatsApp Business app. Connect it again if that was a mistake.',
  ACCOUNT_OFFBOARDED:
    'Meta ended the connection because the phone changed or registered the number again. Connect it again.',
  PARTNER_APP_UNINSTALLED:
    'Somebody removed the app from this WhatsApp account in Meta Business settings. Connect the number again if that was a mistake.',
}

const REMOVED_OTHERWISE = 'Meta ended the connection of this WhatsApp account. Connect the number again.'

/** What Meta said of the account, for its health. What keeps it from writing is said of every engine alike. */
export function accountIssues(facts: NumberFacts | null, nowMs: number): Issue[] {
  const issues = activeOf(facts, nowMs).flatMap(({ kind, sinceMs, untilMs }): Issue[] => {
    const effect = effectOf(kind)
    const words = WORDS[effect]
    if (words === undefined) return []
    const until = untilMs === null ? '' : ` This ends at ${new Date(untilMs).toISOString()}.`
    return [{ code: `restricted_${effect}`, message: `${words}${until}`, sinceMs }]
  })
  const { removed = null, violation = null } = facts ?? {}
  if (removed !== null) {
    const isKnown = Object.hasOwn(REMOVED, removed.reason)
    const code = isKnown ? `removed_${removed.reason.toLowerCase()}` : 'removed'
    issues.push({ code, message: REMOVED[removed.reason] ?? REMOVED_OTHERWISE, sinceMs: removed.sinceMs })
  }
  if (violation !== null && violation.sinceMs > nowMs - VIOLATION_SHOWN_MS) {
    const message = `Meta says that this account broke a rule of WhatsApp (${violation.type}). Read in the WhatsApp Manager what to change, or appeal there. Meta restricts accounts that go on.`
    issues.push({ code: 'account_violation', message, sinceMs: violation.sinceMs })
  }
  return issues
}
