import type { HealthIssueCode } from '../../contract/health-issue-codes.ts'
import type { EngineIssue, Evidence } from '../engine.ts'
import type { TemplateSuspension } from '../templates.ts'
import { integerAt, recordAt, recordsAt, textAt, type Json } from './json.ts'
import type { NumberFacts, Restriction } from './number-facts.ts'

/** What a restriction stops. */
type Effect = 'new_chats' | 'replies' | 'utility_templates' | 'utility_limit' | 'calls' | 'adding_numbers' | 'other'

/** The order matters: a restriction of calls also names who starts the chat. */
const EFFECTS: readonly (readonly [pattern: RegExp, effect: Effect])[] = [
  [/CALL/, 'calls'],
  [/ADD_PHONE_NUMBER/, 'adding_numbers'],
  [/RATE_LIMITED_UTILITY/, 'utility_limit'],
  [/UTILITY/, 'utility_templates'],
  [/(?:CUSTOMER|USER)_INITIATED/, 'replies'],
  [/(?:BIZ|BUSINESS)_INITIATED/, 'new_chats'],
]

const effectOf = (kind: string): Effect => EFFECTS.find(([pattern]) => pattern.test(kind))?.[1] ?? 'other'

/** What a callback `account_update` means for the numbers of the account. */
type AccountChange =
  | { readonly kind: 'banned' }
  /** Meta lifted a ban or a removal. */
  | { readonly kind: 'reinstated' }
  | { readonly kind: 'restricted'; readonly restrictions: readonly Restriction[] }
  /** Meta ended these restrictions early. */
  | { readonly kind: 'lifted'; readonly effect: Effect }
  /** We may no longer use the account. */
  | { readonly kind: 'removed'; readonly reason: string }
  | { readonly kind: 'violation'; readonly type: string }
  | { readonly kind: 'nothing' }

const REMOVALS: readonly string[] = ['PARTNER_REMOVED', 'PARTNER_APP_UNINSTALLED', 'ACCOUNT_OFFBOARDED']

/** These restrictions come as violations of the account, and Meta reports only their end. */
const LIFTED: Readonly<Record<string, Effect>> = {
  UTILITY_TEMPLATE_ABUSE_UNBAN: 'utility_templates',
  UTILITY_TEMPLATE_ABUSE_RATE_LIMIT_RECOVERY: 'utility_limit',
}

export function readAccountUpdate(value: Json, atMs: number): AccountChange {
  const event = textAt(value, 'event') ?? ''
  const state = textAt(recordAt(value, 'ban_info'), 'waba_ban_state')
  if (state === 'REINSTATE' || event === 'ACCOUNT_RECONNECTED') return { kind: 'reinstated' }
  if (state === 'DISABLE' || event === 'ACCOUNT_DELETED') return { kind: 'banned' }
  if (REMOVALS.includes(event)) {
    return { kind: 'removed', reason: textAt(recordAt(value, 'disconnection_info'), 'reason') ?? event }
  }
  const violation = textAt(recordAt(value, 'violation_info'), 'violation_type')
  if (event === 'ACCOUNT_VIOLATION') return { kind: 'violation', type: violation ?? 'UNKNOWN' }
  if (event !== 'ACCOUNT_RESTRICTION') return { kind: 'nothing' }
  const restrictions = recordsAt(value, 'restriction_info').map((info): Restriction => ({
    kind: textAt(info, 'restriction_type') ?? 'RESTRICTED',
    sinceMs: atMs,
    untilMs: endOf(info),
  }))
  if (restrictions.length > 0 || violation === null) return { kind: 'restricted', restrictions }
  const effect = Object.hasOwn(LIFTED, violation) ? LIFTED[violation] : undefined
  return effect === undefined ? { kind: 'violation', type: violation } : { kind: 'lifted', effect }
}

/** Meta writes the end in seconds, and in some callbacks as a date. null: it names none. */
function endOf(info: Json): number | null {
  const seconds = integerAt(info, 'expiration')
  if (seconds !== null) return seconds * 1_000
  const atMs = Date.parse(textAt(info, 'expiration') ?? '')
  return Number.isNaN(atMs) ? null : atMs
}

/** The facts known about the account after the change. A new restriction replaces an earlier one of the same kind. */
export function afterAccountChange(facts: NumberFacts, change: AccountChange, atMs: number): NumberFacts {
  switch (change.kind) {
    case 'restricted': {
      const kinds = change.restrictions.map(({ kind }) => kind)
      const others = (facts.restrictions ?? []).filter(
        ({ kind, untilMs }) => !kinds.includes(kind) && (untilMs === null || untilMs > atMs),
      )
      return { ...facts, restrictions: [...others, ...change.restrictions] }
    }
    case 'lifted':
      return {
        ...facts,
        restrictions: (facts.restrictions ?? []).filter(({ kind }) => effectOf(kind) !== change.effect),
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

/** Why the number cannot write, either to everybody or only to people who have not written first. */
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

/** Whether Meta has suspended the utility templates of the account; null if not. */
export function utilitySuspension(facts: NumberFacts | null, nowMs: number): TemplateSuspension | null {
  const found = activeOf(facts, nowMs)
    .filter(({ kind }) => effectOf(kind) === 'utility_templates')
    .toSorted((one, other) => (other.untilMs ?? Infinity) - (one.untilMs ?? Infinity))[0]
  return found === undefined ? null : { sinceMs: found.sinceMs, untilMs: found.untilMs }
}

const VIOLATION_SHOWN_MS = 7 * 86_400_000

const WORDS = {
  utility_templates:
    'Meta has suspended the utility templates of this account, because it considers some of them marketing. Campaigns and follow-ups with utility templates wait, and continue when this ends. Other messages are sent. Ask for a review in Business Support Home, or use marketing templates until then.',
  utility_limit:
    'Meta limits how many utility templates this account sends in 24 hours, because it considers some of them marketing, and refuses the others. Other messages are sent. Send fewer, and turn those that advertise into marketing templates.',
  calls:
    'Meta does not let this account make or take calls as before. Messages are sent. Read in the WhatsApp Manager what to change.',
  adding_numbers:
    'Meta does not let this account add phone numbers. The numbers that it has work. Read in the WhatsApp Manager what to change.',
} as const satisfies Readonly<Partial<Record<Effect, string>>>

const hasWords = (effect: Effect): effect is keyof typeof WORDS => Object.hasOwn(WORDS, effect)

/** A violation without a restriction: a warning. */
const UTILITY_WARNING = 'UTILITY_TEMPLATE_ABUSE'
const WARNED_OF_UTILITY = {
  code: 'utility_templates_warning',
  message:
    'Meta considers some utility templates of this account marketing. It may change their category at any time now, and suspends utility templates for a week if it finds more. Turn those that advertise into marketing templates.',
} as const

/** Why Meta took the account away, by its `disconnection_info.reason` or its event. */
const REMOVED = {
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
} as const

type KnownRemoval = keyof typeof REMOVED
const isKnownRemoval = (reason: string): reason is KnownRemoval => Object.hasOwn(REMOVED, reason)
const codeOfRemoval = (reason: KnownRemoval) => `removed_${reason.toLowerCase() as Lowercase<KnownRemoval>}` as const

const REMOVED_OTHERWISE = 'Meta ended the connection of this WhatsApp account. Connect the number again.'

/**
 * Issues that Meta reported about the account, for its health. What stops it from sending is reported in the same way
 * for every engine, and is not repeated here.
 */
export function accountIssues(facts: NumberFacts | null, nowMs: number): EngineIssue[] {
  const issues = activeOf(facts, nowMs).flatMap(({ kind, sinceMs, untilMs }): EngineIssue[] => {
    const effect = effectOf(kind)
    if (!hasWords(effect)) return []
    const until = untilMs === null ? '' : ` This ends at ${new Date(untilMs).toISOString()}.`
    return [{ code: `restricted_${effect}`, message: `${WORDS[effect]}${until}`, sinceMs, facts: { kind, untilMs } }]
  })
  const { removed = null, violation = null } = facts ?? {}
  if (removed !== null) issues.push(removalIssue(removed))
  if (violation !== null && violation.sinceMs > nowMs - VIOLATION_SHOWN_MS) {
    if (violation.type === UTILITY_WARNING) return [...issues, { ...WARNED_OF_UTILITY, sinceMs: violation.sinceMs }]
    const message = `Meta says that this account broke a rule of WhatsApp (${violation.type}). Read in the WhatsApp Manager what to change, or appeal there. Meta restricts accounts that go on.`
    const { type: reason, sinceMs } = violation
    issues.push({ code: 'account_violation', message, sinceMs, facts: { reason } })
  }
  return issues
}

function removalIssue({ reason, sinceMs }: NonNullable<NumberFacts['removed']>): EngineIssue {
  const [code, message]: [HealthIssueCode, string] = isKnownRemoval(reason)
    ? [codeOfRemoval(reason), REMOVED[reason]]
    : ['removed', REMOVED_OTHERWISE]
  return { code, message, sinceMs, facts: { reason } }
}
