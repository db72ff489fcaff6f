import type { EngineIssue, IssueFacts } from '../engine.ts'
import { recordAt, textAt, type Json } from './json.ts'
import type { Notice, NumberFacts } from './number-facts.ts'

export type NoticeField =
  | ('account_alerts' | 'account_review_update' | 'security')
  | ('phone_number_name_update' | 'business_username_update')

/** @returns the new notices, and those that no longer apply. */
interface Reading {
  readonly begins?: Omit<Notice, 'sinceMs'> & { readonly code: NoticeCode }
  readonly ends?: readonly NoticeCode[]
}

const SHOWN_MS = 7 * 86_400_000
const MOST = 10
/** There may be several of these at the same time, one for each group. */
const MOST_GROUPS = 20
const DETAIL_LENGTH = 200
const META_USER = 'Meta user '

const WORDS = {
  pin_changed:
    'Somebody changed the two-step verification PIN of this number. If nobody of yours did, change it again in WhatsApp Manager, and check who has access there.',
  pin_disabled:
    'Somebody asked Meta to turn off the two-step verification PIN of this number. If nobody of yours did, set a PIN in WhatsApp Manager, and check who has access there.',
  limit_increase_blocked:
    'Meta does not raise the messaging limit of this number for now. Read in WhatsApp Manager what to do.',
  official_account_rejected:
    'Meta rejected the request for an Official Business Account. Read why in WhatsApp Manager.',
  profile_picture_lost: 'The profile picture of this number was removed. Add it again in WhatsApp Manager.',
  account_alert: 'Meta reports something about this account. Read it in WhatsApp Manager.',
  account_review_pending:
    'Meta is reviewing this WhatsApp account. Until it has decided, messages may be limited. Read in WhatsApp Manager whether it asks for something.',
  account_review_rejected:
    'Meta reviewed this WhatsApp account and rejected it. Read why in WhatsApp Manager, and ask for another review there.',
  display_name_rejected: 'Meta rejected the display name of this number. Choose another one in WhatsApp Manager.',
  username_removed:
    'Meta took the username of this number away, so people no longer find it by that name. Choose another one.',
  group_suspended:
    'Meta suspended a group of this number, so nobody can write in it. Read why in WhatsApp Manager, and ask for a review there.',
  groups_suspended:
    'Meta suspended several groups of this number, so nobody can write in them. Read why in WhatsApp Manager, and ask for a review there.',
  contact_book_kept:
    'Meta refused to delete the phone number of somebody whose contact you removed. Ask Meta’s support to delete it.',
  number_error: 'Meta reports an error of this number or its account. Read in WhatsApp Manager what to do.',
} as const

type NoticeCode = keyof typeof WORDS

const ALERTS: Readonly<Record<string, NoticeCode>> = {
  INCREASED_CAPABILITIES_ELIGIBILITY_DEFERRED: 'limit_increase_blocked',
  INCREASED_CAPABILITIES_ELIGIBILITY_FAILED: 'limit_increase_blocked',
  INCREASED_CAPABILITIES_ELIGIBILITY_NEED_MORE_INFO: 'limit_increase_blocked',
  OBA_REJECTED: 'official_account_rejected',
  PROFILE_PICTURE_LOST: 'profile_picture_lost',
}

/** `requester` is Meta's id of the person, as shown in Meta Business settings. */
function readSecurity(value: Json): Reading {
  const requester = textAt(value, 'requester')
  const detail = requester === null ? '' : `${META_USER}${requester}`
  const isTurnedOff = /RESET|DISABLE/.test(textAt(value, 'event') ?? '')
  return { begins: { code: isTurnedOff ? 'pin_disabled' : 'pin_changed', detail } }
}

function readAlert(value: Json): Reading {
  const info = recordAt(value, 'alert_info')
  const type = textAt(info, 'alert_type') ?? textAt(value, 'alert_type') ?? ''
  if (type === 'OBA_APPROVED') return { ends: ['official_account_rejected'] }
  const code = (Object.hasOwn(ALERTS, type) ? ALERTS[type] : undefined) ?? 'account_alert'
  return { begins: { code, detail: type } }
}

function readReview(value: Json): Reading {
  const decision = textAt(value, 'decision')
  if (decision === 'APPROVED') return { ends: ['account_review_rejected', 'account_review_pending'] }
  if (decision === 'REJECTED')
    return { begins: { code: 'account_review_rejected', detail: '' }, ends: ['account_review_pending'] }
  const isPending = decision === 'PENDING' || decision === 'DEFERRED'
  return isPending ? { begins: { code: 'account_review_pending', detail: '' }, ends: ['account_review_rejected'] } : {}
}

function readName(value: Json): Reading {
  if (textAt(value, 'decision') === 'APPROVED') return { ends: ['display_name_rejected'] }
  const reason = textAt(value, 'rejection_reason')
  const isRejected = textAt(value, 'decision') === 'REJECTED'
  return isRejected
    ? { begins: { code: 'display_name_rejected', detail: reason === 'NONE' ? '' : (reason ?? '') } }
    : {}
}

/** A username that was released from Switchboard needs no notice. */
function readUsername(value: Json, { releasedUsername }: NumberFacts): Reading {
  if (textAt(value, 'status') !== 'deleted') return { ends: ['username_removed'] }
  const username = textAt(value, 'username') ?? ''
  return username === releasedUsername ? {} : { begins: { code: 'username_removed', detail: username } }
}

const READERS: Readonly<Record<NoticeField, (value: Json, facts: NumberFacts) => Reading>> = {
  account_alerts: readAlert,
  account_review_update: readReview,
  security: readSecurity,
  phone_number_name_update: readName,
  business_username_update: readUsername,
}

/** The facts about the number after one of these callbacks. A notice replaces an earlier one of its kind. */
export function afterNotice(facts: NumberFacts, field: NoticeField, value: Json, atMs: number): NumberFacts {
  const { begins, ends = [] } = READERS[field](value, facts)
  return add(facts, begins, ends, atMs)
}

/** For an error in `value.errors` that concerns no message. */
export const afterNumberError = (
  facts: NumberFacts,
  { code, details }: { code: number; details: string },
  atMs: number,
) => add(facts, { code: 'number_error', detail: `${code} ${details}`.trim() }, [], atMs)

/** Meta refused to delete a person from its contact book, and trying again would not help. */
export const afterContactBookRefusal = (
  facts: NumberFacts,
  { code, details }: { code: number; details: string },
  atMs: number,
) => add(facts, { code: 'contact_book_kept', detail: `${code} ${details}`.trim() }, [], atMs)

/** A group that Meta suspends, or whose suspension ends. Suspensions of other groups stay. */
export function afterGroupStatus(facts: NumberFacts, groupId: string, type: string, atMs: number): NumberFacts {
  if (type === 'group_suspend') return add(facts, { code: 'group_suspended', detail: groupId }, [], atMs)
  if (type !== 'group_suspend_cleared') return facts
  const isOver = ({ code, detail }: Notice) => code === 'group_suspended' && detail === groupId
  return { ...facts, notices: (facts.notices ?? []).filter((notice) => !isOver(notice)) }
}

function add(facts: NumberFacts, begins: Reading['begins'], ends: readonly NoticeCode[], sinceMs: number): NumberFacts {
  const isOfGroup = ({ code }: Notice) => code === 'group_suspended'
  const isReplaced = ({ code, detail }: Notice) =>
    code === begins?.code && (code !== 'group_suspended' || detail === begins.detail)
  const isKept = (notice: Notice) => !isReplaced(notice) && !(ends as readonly string[]).includes(notice.code)
  const others = (facts.notices ?? []).filter(isKept)
  const added = begins === undefined ? [] : [{ ...begins, detail: begins.detail.slice(0, DETAIL_LENGTH), sinceMs }]
  const [ofGroups = [], ofNumber = []] = [true, false].map((isWanted) =>
    [...others, ...added].filter((notice) => isOfGroup(notice) === isWanted),
  )
  return { ...facts, notices: [...ofNumber.slice(-MOST), ...ofGroups.slice(-MOST_GROUPS)] }
}

/** Shown in the health of the number for one week. */
export function noticeIssues(facts: NumberFacts | null, nowMs: number): EngineIssue[] {
  const shown = (facts?.notices ?? []).filter(({ sinceMs }) => sinceMs > nowMs - SHOWN_MS)
  return joined(shown).flatMap(({ code, detail, sinceMs }): EngineIssue[] => {
    if (!isNoticeCode(code)) return []
    const words = WORDS[code]
    if (detail === '') return [{ code, message: words, sinceMs }]
    return [{ code, message: `${words} (${detail})`, sinceMs, facts: FACTS[code]?.(detail) ?? {} }]
  })
}

const isNoticeCode = (code: string): code is NoticeCode => Object.hasOwn(WORDS, code)

const asReason = (reason: string): IssueFacts => ({ reason })

/** What the detail of each notice contains. */
const FACTS: Readonly<Partial<Record<NoticeCode, (detail: string) => IssueFacts>>> = {
  pin_changed: requesterOf,
  pin_disabled: requesterOf,
  limit_increase_blocked: asReason,
  official_account_rejected: asReason,
  profile_picture_lost: asReason,
  account_alert: asReason,
  display_name_rejected: asReason,
  username_removed: (username) => ({ username }),
  group_suspended: (groupId) => ({ groupIds: [groupId] }),
  groups_suspended: (groups) => ({ groupIds: groups.slice(groups.indexOf(': ') + 2).split(', ') }),
  number_error: errorOf,
  contact_book_kept: errorOf,
}

function requesterOf(detail: string): IssueFacts {
  return detail.startsWith(META_USER) ? { requesterId: detail.slice(META_USER.length) } : {}
}

/** `131000 Something went wrong`, as `afterNumberError` keeps it. */
function errorOf(detail: string): IssueFacts {
  const [code = '', ...rest] = detail.split(' ')
  const providerMessage = rest.join(' ')
  return { providerCode: Number(code), ...(providerMessage !== '' && { providerMessage }) }
}

/** Several suspended groups become one issue, with their count and names. */
function joined(notices: readonly Notice[]): readonly Notice[] {
  const groups = notices.filter(({ code }) => code === 'group_suspended')
  const [first] = groups
  if (first === undefined || groups.length === 1) return notices
  const detail = `${groups.length} groups: ${groups.map((group) => group.detail).join(', ')}`
  const others = notices.filter(({ code }) => code !== 'group_suspended')
  return [...others, { code: 'groups_suspended', detail, sinceMs: first.sinceMs }]
}
