import type { HealthIssue } from '../../contract/instance.ts'
import { isoTimeOrNull } from '../../contract/request.ts'
import type { Evidence } from '../../engines/engine.ts'
import type { Instance } from './store.ts'

/** Facts that issues are made of, all at hand. */
export interface HealthFacts {
  readonly instance: Instance
  /** null: the engine gives no information. */
  readonly evidence: Evidence | null
  readonly queue: { readonly pending: number | null; readonly oldestSeconds: number | null }
  /** Of the instance's own webhook. One account webhook that fails says nothing about its numbers. */
  readonly failingOwnCalls: number | null
  readonly nowMs: number
}

interface IssueDraft {
  readonly code: string
  readonly message: string
  readonly sinceMs: number | null
}

/** A message that waits longer than the longest send takes is stuck. */
const QUEUE_STUCK_SECONDS = 60

/** What is wrong and what to do about it, for the person who has to; the worst first. */
export function issuesOf(findings: HealthFacts): HealthIssue[] {
  const ownIssues = findings.evidence?.issues ?? []
  const found = [engineIssue, linkIssue, restrictionIssue].map((of) => of(findings))
  found.push(...ownIssues, queueIssue(findings), webhookIssue(findings))
  return found
    .filter((issue) => issue !== undefined)
    .map(({ code, message, sinceMs }) => ({ code, message, since: isoTimeOrNull(sinceMs) }))
}

/** What a person can do about what does not pass. A number at Meta has no link of its own that could be restarted. */
const IF_IT_PERSISTS: Readonly<Record<Instance['engine'], string>> = {
  smv2: 'restart the instance.',
  official: 'check the internet connection, and metastatus.com for trouble at Meta; it is asked again by itself.',
}

function engineIssue({ instance: { engine }, evidence }: HealthFacts): IssueDraft | undefined {
  if (evidence?.reachable) return undefined
  const [code, sinceMs] = evidence === null ? ['engine_unknown', null] : ['engine_unreachable', evidence.lastSeenAtMs]
  const what =
    evidence === null
      ? 'The engine gives no information about this instance.'
      : 'The engine does not answer. Nothing can be sent; what is sent to the number meanwhile arrives later.'
  return { code, message: `${what} If this stays, ${IF_IT_PERSISTS[engine]}`, sinceMs }
}

function linkIssue({ instance }: HealthFacts): IssueDraft | undefined {
  const { status, statusAtMs: sinceMs, willRetry, loggedIn, engine } = instance
  const pair =
    engine === 'official'
      ? 'Open its onboarding_url and connect a number.'
      : 'Read its QR code and scan it with the phone.'
  switch (status) {
    case 'connected':
      return undefined
    case 'created':
      return { code: 'not_paired', message: `No number is connected yet. ${pair}`, sinceMs }
    case 'qr':
      return {
        code: 'waiting_for_scan',
        message: 'A QR code waits to be scanned. Open it and scan it with the phone, or type the pairing code there.',
        sinceMs,
      }
    case 'connecting':
      return {
        code: 'connecting',
        message: `${loggedIn ? 'The link is being restored.' : 'The connection is being made.'} If this takes more than a minute, ${IF_IT_PERSISTS[engine]}`,
        sinceMs,
      }
    case 'recreating':
      return {
        code: 'recreating',
        message: 'The instance is being set up anew. Pair it again when that is done.',
        sinceMs,
      }
    case 'passkey_required':
      return {
        code: 'passkey_required',
        message:
          'This account demands a passkey for linking, which is not possible here. Try the pairing code, an account without a passkey, or the official engine.',
        sinceMs,
      }
    case 'auth_failed':
      return authFailedIssue(instance)
    case 'disconnected':
      return { ...(willRetry ? RETRYING : (ENDED[instance.lastDisconnectReason ?? ''] ?? STOPPED)), sinceMs }
  }
}

type IssueText = Omit<IssueDraft, 'sinceMs'>

const RETRYING: IssueText = {
  code: 'link_lost',
  message:
    'The link to the network is lost; reconnecting goes on by itself. Check the internet connection, and that the phone is online.',
}
const STOPPED: IssueText = {
  code: 'disconnected',
  message: 'The link is down and nothing reconnects it. Restart the instance.',
}

/** Why an instance is disconnected for good, by `last_disconnect_reason`. */
const ENDED: Readonly<Record<string, IssueText>> = {
  user: { code: 'disconnected_by_user', message: 'Somebody disconnected the instance. Restart it to connect again.' },
  logout: { code: 'logged_out', message: 'The session was discarded by a logout. Request a new QR code and scan it.' },
  qr_expired: {
    code: 'qr_expired',
    message: 'Nobody scanned the QR code in time. Request a new one and scan it within a minute.',
  },
  session_lost: {
    code: 'session_lost',
    message: 'The stored session is gone, so it cannot reconnect. Request a new QR code and scan it.',
  },
  client_outdated: {
    code: 'client_outdated',
    message:
      'WhatsApp no longer takes this version of its protocol, and named no other. Update Switchboard, or set smv2.version; then restart the instance.',
  },
  replaced: {
    code: 'replaced',
    message:
      'The same session is connected somewhere else, for example from a copy of this home folder. End that one, then restart the instance.',
  },
  bad_session: {
    code: 'bad_session',
    message: 'WhatsApp refuses the stored session. Disconnect the instance with logout, then pair it again.',
  },
  pairing_interrupted: {
    code: 'pairing_interrupted',
    message: 'Pairing was cut off by a restart of the service. Request a new QR code and scan it.',
  },
}

function authFailedIssue({ statusAtMs: sinceMs, lastDisconnectReason, blockedUntilMs, engine }: Instance): IssueDraft {
  const again =
    engine === 'official' ? 'Open the onboarding_url and connect it again.' : 'Request a new QR code and scan it.'
  const until = isoTimeOrNull(blockedUntilMs)
  switch (lastDisconnectReason) {
    case 'banned':
      return {
        code: 'banned',
        message:
          engine === 'official'
            ? 'Meta has blocked this account. Appeal in the WhatsApp Manager; once it is lifted the number connects by itself.'
            : 'The network has banned this number. Appeal in the app on the phone; then pair again.',
        sinceMs,
      }
    case 'temporary_ban':
      return {
        code: 'temporary_ban',
        message: `The network has banned this number ${until === null ? 'for a time' : `until ${until}`}. Wait, send more slowly afterwards, then restart the instance.`,
        sinceMs,
      }
    case 'token_revoked':
      return { code: 'token_revoked', message: `The access token is no longer valid. ${again}`, sinceMs }
    default:
      return {
        code: 'logged_out',
        message: `${engine === 'official' ? 'Meta no longer takes this number from here' : 'The device was removed on the phone'}, or the session was ended. ${again}`,
        sinceMs,
      }
  }
}

function restrictionIssue({ evidence, nowMs }: HealthFacts): IssueDraft | undefined {
  const restriction = evidence?.restriction
  if (!restriction || (restriction.untilMs !== null && restriction.untilMs <= nowMs)) return undefined
  const until = restriction.untilMs === null ? '' : ` until ${isoTimeOrNull(restriction.untilMs)}`
  const message = `The network restricts this number${until} (${restriction.kind}). People who have written before can be answered; do not start new chats.`
  return { code: 'restricted', message, sinceMs: restriction.sinceMs }
}

function queueIssue({ queue: { oldestSeconds }, nowMs }: HealthFacts): IssueDraft | undefined {
  if (oldestSeconds === null || oldestSeconds < QUEUE_STUCK_SECONDS) return undefined
  const message =
    'Messages are waiting for the network to confirm them. Do not send them again: look their status up first.'
  return { code: 'queue_stuck', message, sinceMs: nowMs - oldestSeconds * 1_000 }
}

function webhookIssue({ failingOwnCalls: failing }: HealthFacts): IssueDraft | undefined {
  if (failing === null || failing === 0) return undefined
  const message = `${failing} ${failing === 1 ? 'event has' : 'events have'} not reached the webhook of this instance and will be retried. Check that its URL answers 2xx within ten seconds.`
  return { code: 'webhooks_failing', message, sinceMs: null }
}
