import type { HealthIssue } from '../../contract/health-issue.ts'
import { QUEUE_STUCK_SECONDS, type HealthIssueCode } from '../../contract/health-issue-codes.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import { TRAITS } from '../../contract/engine-traits.ts'
import type { EngineIssue, Evidence } from '../../engines/engine.ts'
import { issueDetails } from '../issue-details.ts'
import type { Instance } from './store.ts'

/** What the issues of a number and its connection are derived from. */
export interface NumberFacts {
  readonly instance: LinkFacts
  /** null: the engine reports nothing. */
  readonly evidence: Evidence | null
  readonly nowMs: number
}

type LinkFacts = Pick<
  Instance,
  | 'engine'
  | 'status'
  | 'statusAtMs'
  | 'loggedIn'
  | 'willRetry'
  | 'nextRetryAtMs'
  | 'lastDisconnectReason'
  | 'blockedUntilMs'
>

/** Everything the issues are derived from. */
export interface HealthFacts extends NumberFacts {
  readonly queue: { readonly pending: number | null; readonly oldestSeconds: number | null }
  /** Of the instance's own webhook. A failing account webhook is not a problem of its numbers. */
  readonly failingOwnCalls: number | null
}

/** What is wrong and what to do about it, the worst first. */
export const issuesOf = (facts: HealthFacts): HealthIssue[] =>
  [...numberIssues(facts), queueIssue(facts) ?? [], webhookIssue(facts) ?? []]
    .flat()
    .map(({ code, message, sinceMs, facts: about = {} }) => ({
      ...{ code, message, since: isoTimeOrNull(sinceMs) },
      ...issueDetails(about),
    }))

/** Those of the number and its connection. */
export const numberIssues = (facts: NumberFacts): EngineIssue[] => [
  ...[engineIssue, linkIssue, restrictionIssue].flatMap((find) => find(facts) ?? []),
  ...(facts.evidence?.issues ?? []),
]

/** What to do if it persists. An official number has no connection of its own to restart. */
const IF_IT_PERSISTS: Readonly<Record<Instance['engine'], string>> = {
  smv2: 'restart the instance.',
  official: 'check your internet connection, and metastatus.com for problems at Meta. The service keeps retrying.',
}

function engineIssue({ instance: { engine }, evidence }: NumberFacts): EngineIssue | undefined {
  if (evidence?.reachable) return undefined
  const [code, sinceMs]: [HealthIssueCode, number | null] =
    evidence === null ? ['engine_unknown', null] : ['engine_unreachable', evidence.lastSeenAtMs]
  const what =
    evidence === null
      ? 'The engine reports nothing about this instance.'
      : 'The engine does not respond. Nothing can be sent, and incoming messages arrive later.'
  return { code, message: `${what} If this persists, ${IF_IT_PERSISTS[engine]}`, sinceMs }
}

function linkIssue({ instance, nowMs }: NumberFacts): EngineIssue | undefined {
  const { status, statusAtMs: sinceMs, willRetry, loggedIn, engine } = instance
  const pair = TRAITS[engine].isLinkedPhone
    ? 'Get its QR code and scan it with the phone.'
    : 'Connect a number in the window, or create an access link and open it.'
  switch (status) {
    case 'connected':
      return undefined
    case 'created':
      return { code: 'not_paired', message: `No number is connected yet. ${pair}`, sinceMs }
    case 'qr':
      return {
        code: 'waiting_for_scan',
        message: 'The QR code is waiting to be scanned. Scan it with the phone, or type the pairing code on the phone.',
        sinceMs,
      }
    case 'connecting':
      return {
        code: 'connecting',
        message: `${loggedIn ? 'The instance is reconnecting.' : 'The instance is connecting.'} If this takes more than a minute, ${IF_IT_PERSISTS[engine]}`,
        sinceMs,
      }
    case 'recreating':
      return {
        code: 'recreating',
        message: 'The instance is being recreated. Pair it again when that is done.',
        sinceMs,
      }
    case 'passkey_required':
      return {
        code: 'passkey_required',
        message:
          'The account requires its passkey to link a device. Follow the steps of the QR view, with WhatsApp open on the phone.',
        sinceMs,
      }
    case 'auth_failed':
      return authFailedIssue(instance)
    case 'disconnected':
      return {
        ...(willRetry ? retryingIssue(instance, nowMs) : (ENDED[instance.lastDisconnectReason ?? ''] ?? STOPPED)),
        sinceMs,
      }
  }
}

type IssueText = Omit<EngineIssue, 'sinceMs'>

const RETRYING: IssueText = {
  code: 'link_lost',
  message:
    'The connection was lost and the service is reconnecting. Check your internet connection and that the phone is online.',
}
/** Reasons for which the engine waits long between two attempts. */
const WAITING: Readonly<Record<string, IssueText>> = {
  client_outdated: {
    code: 'client_outdated',
    message: 'WhatsApp no longer accepts this version of its protocol. Update Switchboard or set smv2.version.',
  },
  replaced: {
    code: 'replaced',
    message: 'The same session is connected elsewhere, for example from a copy of this home folder. Stop that one.',
  },
}

function retryingIssue({ lastDisconnectReason, nextRetryAtMs }: LinkFacts, nowMs: number): IssueText {
  const { code, message } = WAITING[lastDisconnectReason ?? ''] ?? RETRYING
  if (nextRetryAtMs === null || nextRetryAtMs <= nowMs) return { code, message }
  return { code, message: `${message} The next attempt is at ${isoTime(nextRetryAtMs)}.`, facts: { nextRetryAtMs } }
}

const STOPPED: IssueText = {
  code: 'disconnected',
  message: 'The instance is disconnected and will not reconnect automatically. Restart it.',
}

/** An answer is good for one try, so every retry starts with another code. */
function passkeyFailed(why: string): IssueText {
  return { code: 'passkey_failed', message: `${why} Then wait a few minutes and get a new QR code.` }
}

/** Why an instance stays disconnected, by `last_disconnect_reason`. */
const ENDED: Readonly<Record<string, IssueText>> = {
  user: { code: 'disconnected_by_user', message: 'The instance was disconnected on request. Restart it to reconnect.' },
  moved: {
    code: 'moved',
    message: 'The session was exported to another Switchboard. Restart the instance only if it does not run there.',
  },
  logout: { code: 'logged_out', message: 'The instance was logged out. Get a new QR code and scan it.' },
  restored: {
    code: 'logged_out',
    message:
      'A backup was restored from before the instance was deleted or transferred. To use it again, get a new QR code ' +
      'and scan it; connect an official number again.',
  },
  qr_expired: {
    code: 'qr_expired',
    message: 'The QR code expired before it was scanned. Get a new one and scan it within a minute.',
  },
  passkey_expired: passkeyFailed('Nobody confirmed with the passkey in time.'),
  passkey_refused: passkeyFailed('WhatsApp refused the confirmation. Use the passkey of this very number.'),
  passkey_phone_silent: passkeyFailed(
    'The phone did not answer. Keep WhatsApp open on the phone and use the passkey of this very number.',
  ),
  passkey_differs: passkeyFailed('The codes on the phone and here differ, so nothing was linked.'),
  passkey_connection_lost: passkeyFailed('The connection to WhatsApp was lost during the confirmation.'),
  passkey_too_often: passkeyFailed('The passkey was asked for too often. Wait an hour.'),
  session_lost: {
    code: 'session_lost',
    message: 'The stored session is missing, so the instance cannot reconnect. Get a new QR code and scan it.',
  },
  bad_session: {
    code: 'bad_session',
    message: 'WhatsApp rejected the stored session. Disconnect the instance with logout, then pair it again.',
  },
  pairing_interrupted: {
    code: 'pairing_interrupted',
    message: 'A restart of the service interrupted pairing. Get a new QR code and scan it.',
  },
}

function authFailedIssue({
  statusAtMs: sinceMs,
  lastDisconnectReason,
  blockedUntilMs,
  engine,
}: LinkFacts): EngineIssue {
  const { isLinkedPhone } = TRAITS[engine]
  const again = isLinkedPhone
    ? 'Get a new QR code and scan it.'
    : 'Connect it again in the window, or create an access link and open it.'
  const until = isoTimeOrNull(blockedUntilMs)
  switch (lastDisconnectReason) {
    case 'banned':
      return {
        code: 'banned',
        message: isLinkedPhone
          ? 'WhatsApp has banned this number. Appeal in the app on the phone, then pair it again.'
          : 'Meta has blocked this account. Appeal in WhatsApp Manager; the number reconnects automatically once the block is lifted.',
        sinceMs,
      }
    case 'temporary_ban':
      return {
        code: 'temporary_ban',
        message: `WhatsApp has banned this number ${until === null ? 'temporarily' : `until ${until}`}. The instance reconnects automatically when the ban ends; then send more slowly.`,
        sinceMs,
        facts: { untilMs: blockedUntilMs },
      }
    case 'token_revoked':
      return { code: 'token_revoked', message: `The access token is no longer valid. ${again}`, sinceMs }
    default:
      return {
        code: 'logged_out',
        message: `${isLinkedPhone ? 'This device was removed on the phone, or the session expired' : 'Meta no longer accepts this connection'}. ${again}`,
        sinceMs,
      }
  }
}

function restrictionIssue({ evidence, nowMs }: NumberFacts): EngineIssue | undefined {
  const restriction = evidence?.restriction
  if (!restriction || (restriction.untilMs !== null && restriction.untilMs <= nowMs)) return undefined
  const { kind, untilMs, sinceMs } = restriction
  const until = untilMs === null ? '' : ` until ${isoTime(untilMs)}`
  const facts = { kind, untilMs }
  if (restriction.stops === 'replies') {
    const message = `Meta lets this number send nothing${until}, not even replies (${kind}). Read in the WhatsApp Manager what to change, and send from a number of another account.`
    return { code: 'restricted_replies', message, sinceMs, facts }
  }
  if (kind === 'new_chats_used_up') {
    const message = `This number has started all the new chats that WhatsApp allows it${until}. You can write to people who wrote before.`
    return { code: 'new_chats_used_up', message, sinceMs, facts }
  }
  const message = `The network restricts this number${until} (${kind}). You can reply to people who wrote before, but do not start new chats.`
  return { code: 'restricted', message, sinceMs, facts }
}

function queueIssue({ queue: { oldestSeconds }, nowMs }: HealthFacts): EngineIssue | undefined {
  if (oldestSeconds === null || oldestSeconds < QUEUE_STUCK_SECONDS) return undefined
  const message = 'Messages are waiting for confirmation by the network. Check their status before sending them again.'
  return { code: 'queue_stuck', message, sinceMs: nowMs - oldestSeconds * 1_000 }
}

function webhookIssue({ failingOwnCalls: failing }: HealthFacts): EngineIssue | undefined {
  if (failing === null || failing === 0) return undefined
  const message = `${failing} ${failing === 1 ? 'event has' : 'events have'} not reached the webhook of this instance and will be retried. Check that its URL answers 2xx within ten seconds.`
  return { code: 'webhooks_failing', message, sinceMs: null, facts: { count: failing } }
}
