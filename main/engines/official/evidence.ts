import { isNearlyFull } from '../../contract/template-capacity.ts'
import type { EngineIssue, IssueFacts, Evidence, Hold, Portfolio } from '../engine.ts'
import { accountIssues, restrictionOf, utilitySuspension } from './account-updates.ts'
import { WORDS_OF_HOLD } from './errors.ts'
import { isActive } from './holds.ts'
import { endOfGraphVersion, graphVersionWarning, TESTED_GRAPH_VERSION } from './graph-versions.ts'
import { hasCredentials, isUsable, type OfficialNumber } from './numbers.ts'
import { noticeIssues } from './notices.ts'
import { capacityIn } from './template-capacity.ts'
import type { MetaConnection } from './number-monitor.ts'

interface Known {
  readonly number: OfficialNumber | undefined
  readonly portfolio: Portfolio | null
  readonly contact: MetaConnection
  readonly unread: { readonly count: number; readonly sinceMs: number | null }
  /** The service has a public URL that Meta could call. */
  readonly hasAddress: boolean
  readonly nowMs: number
}

/** What is known about a number, for its health. Makes no requests. */
export function evidenceOf(known: Known): Evidence {
  const { number, portfolio, contact, nowMs } = known
  const facts = number?.facts ?? null
  const limit = portfolio?.limit ?? null
  return {
    reachable: contact.reachable,
    lastSeenAtMs: contact.lastSeenAtMs ?? facts?.checkedAtMs ?? null,
    latencyMs: contact.latencyMs,
    restriction: restrictionOf(facts, nowMs),
    hold: activeHold(known),
    utilitySuspension: utilitySuspension(facts, nowMs),
    quality: facts && {
      rating: facts.rating,
      messagingLimit: limit === null || limit.source === 'last_known' ? 'UNKNOWN' : limit.tier,
      accountMode: facts.accountMode,
    },
    portfolio,
    issues: hasCredentials(number) ? issuesOf(known) : [],
  }
}

function activeHold({ number, nowMs }: Known): Hold | null {
  const hold = number?.facts?.hold ?? null
  return hold !== null && isActive(hold, nowMs) ? hold : null
}

function issuesOf(known: Known): EngineIssue[] {
  const { number, contact, unread, hasAddress, nowMs } = known
  const facts = number?.facts ?? null
  const issues: EngineIssue[] = [...accountIssues(facts, nowMs), ...noticeIssues(facts, nowMs)]
  const hold = activeHold(known)
  if (hold !== null) {
    const { reason, sinceMs, untilMs } = hold
    const message = `${WORDS_OF_HOLD[reason]} Campaigns and agents of this number wait until a message goes through.`
    issues.push({ code: `held_${reason}`, message, sinceMs, facts: { untilMs } })
  }
  if (facts?.rating === 'RED') issues.push({ code: 'quality_low', message: LOW_QUALITY, sinceMs: null })
  if (facts?.rating === 'YELLOW') issues.push({ code: 'quality_medium', message: MEDIUM_QUALITY, sinceMs: null })
  if (contact.unpermittedSinceMs !== null) {
    issues.push({
      code: 'permission_missing',
      message:
        'The access token lacks a permission. Give its system user whatsapp_business_messaging and whatsapp_business_management, and the WhatsApp account as an asset. It is tried again within five minutes.',
      sinceMs: contact.unpermittedSinceMs,
    })
  }
  if (isUsable(number) && (number.facts?.callsBackTo ?? null) === null) {
    issues.push({ code: 'callbacks_missing', message: hasAddress ? NOT_ENTERED : NO_ADDRESS, sinceMs: null })
  }
  const missing = facts?.fields?.missing ?? []
  if (missing.length > 0) {
    const message = `The app at Meta is not subscribed to ${missing.join(', ')}, so Meta does not report that. Select these fields of “WhatsApp Business Account” under Webhooks in the App Dashboard. They are checked again within half an hour.`
    issues.push({ code: 'fields_missing', message, sinceMs: null, facts: { fields: missing } })
  }
  const capacity = capacityIn(facts)
  if (capacity !== null && isNearlyFull(capacity)) {
    const { count, limit } = capacity
    const message = `The WhatsApp Business account of this number has ${count} of the ${limit} templates that Meta allows. Delete those that you do not use, or verify the business in Meta Business Suite to raise the limit.`
    issues.push({ code: 'templates_nearly_full', message, sinceMs: null, facts: { count, limit } })
  }
  // The version of the service is reported to its operator instead.
  const version = number?.graphVersion ?? null
  const ends = version === null ? null : graphVersionWarning(version, nowMs)
  if (version !== null && ends !== null) {
    const message = `${ends}, and this number is set to it. Set graph_version to ${TESTED_GRAPH_VERSION}, or to null for that of the service.`
    issues.push({ code: 'graph_version', message, sinceMs: null, facts: versionFacts(version) })
  }
  if (unread.count > 0) {
    const what = unread.count === 1 ? 'One call of Meta' : `${unread.count} calls of Meta`
    const message = `${what} could not be read, so something that people wrote may be missing here. They are kept for a week; report this, with the log.`
    issues.push({ code: 'callbacks_unread', message, sinceMs: unread.sinceMs, facts: { count: unread.count } })
  }
  return issues
}

function versionFacts(graphVersion: string): IssueFacts {
  const endsOn = endOfGraphVersion(graphVersion)
  return { graphVersion, untilMs: endsOn === null ? null : Date.parse(endsOn) }
}

const LOW_QUALITY =
  'Meta rates the quality of this number as low, because people block or report it. Write less, and only to people who expect it: Meta limits numbers that stay low.'
const MEDIUM_QUALITY =
  'Meta rates the quality of this number as medium. If it falls further, no new chats are started: send marketing messages only to people who asked for them.'
const NO_ADDRESS =
  'Meta has no address to call, so nothing that people write arrives, and messages stay queued although they are sent. Set public_base_url to an https address that leads here, and start the service anew.'
const NOT_ENTERED =
  'Meta has not called this service yet, so nothing that people write arrives. Enter the callback address and the verify token in the app at Meta, and subscribe to the field “messages”.'
