import {
  HEALTH_ISSUES,
  lineOfIssue,
  type HealthIssueCode,
  type ListedIssueCode,
} from '../../contract/health-issue-codes.ts'
import type { EngineIssue, Evidence, IssueFacts } from '../../engines/engine.ts'
import { findBan } from './ban.ts'
import { evidenceOf, type Engines } from './engines.ts'
import { numberIssues } from './issues.ts'
import type { Instance } from './store.ts'

/** What the overview reads of a number; the same columns for thousands of them. */
export interface NumberRow extends Pick<
  Instance,
  | ('id' | 'accountId' | 'name' | 'engine' | 'network' | 'status' | 'statusAtMs' | 'nextRetryAtMs' | 'linkLostAtMs')
  | ('lastConnectedAtMs' | 'lastDisconnectReason' | 'blockedUntilMs')
> {
  readonly isLoggedIn: number
  readonly isRetrying: number
}

/** Why a number has a line in the overview. */
export interface Trouble {
  readonly code: LinkLine | ListedIssueCode
  readonly sinceMs: number | null
  readonly facts: IssueFacts
}

/** Lines in which several issues are counted together. */
const LINK_LINES = {
  'instances.banned': 'banned',
  'instances.signed_out': 'signed_out',
  'instances.lost': 'lost',
  'instances.passkey': 'passkey',
} as const
export type LinkLine = (typeof LINK_LINES)[keyof typeof LINK_LINES]

type KnownNumber = NumberRow & Pick<Instance, 'loggedIn' | 'willRetry'>

/** Longer than connecting takes. */
const CONNECTING_MS = 60_000

/** Why a person should look at the number, at most once for each line. */
export function troublesOf(engines: Engines, row: NumberRow, nowMs: number): Trouble[] {
  const number = { ...row, loggedIn: row.isLoggedIn === 1, willRetry: row.isRetrying === 1 }
  const issues = numberIssues({ instance: number, evidence: knownEvidence(engines, row), nowMs })
  const troubles = issues.flatMap(({ code, sinceMs, facts = {} }): Trouble[] => {
    const line = lineOf(code, number, nowMs)
    return line === null ? [] : [{ code: line, sinceMs, facts }]
  })
  return troubles.filter(({ code }) => !isSaidBy(code, issues))
}

function knownEvidence(engines: Engines, row: NumberRow): Evidence | null {
  try {
    return evidenceOf(engines, row)
  } catch {
    // The health view reports it and logs the reason.
    return null
  }
}

/** Where `HEALTH_ISSUES` puts it. */
function lineOf(code: HealthIssueCode, number: KnownNumber, nowMs: number): Trouble['code'] | null {
  if (isExpected(code, number, nowMs)) return null
  const isBanned = findBan(number, nowMs) !== undefined
  if (code === 'disconnected' && !number.loggedIn) return isBanned ? 'banned' : 'signed_out'
  // The engine connects without help when a ban ends.
  if (code === 'temporary_ban' && !isBanned) return 'lost'
  if (isListed(code)) return code
  const line = lineOfIssue(code)
  return line !== null && isLinkLine(line) ? LINK_LINES[line] : null
}

const isListed = (code: HealthIssueCode): code is ListedIssueCode => typeof HEALTH_ISSUES[code] === 'string'

const isLinkLine = (line: string): line is keyof typeof LINK_LINES => Object.hasOwn(LINK_LINES, line)

/** No action is needed: the number was never used, a person disconnected it, or it is still connecting. */
function isExpected(code: HealthIssueCode, number: KnownNumber, nowMs: number): boolean {
  switch (code) {
    case 'connecting':
      return !number.loggedIn || (number.linkLostAtMs === null && number.statusAtMs > nowMs - CONNECTING_MS)
    case 'passkey_failed':
    case 'qr_expired':
    case 'pairing_interrupted':
      return number.lastConnectedAtMs === null
    case 'disconnected':
      return !number.loggedIn && number.lastConnectedAtMs === null
    case 'logged_out':
      return number.status === 'disconnected' && number.lastDisconnectReason === 'logout'
    default:
      return false
  }
}

/** Meta revokes the token when it takes an account away, and says why. */
const isSaidBy = (code: Trouble['code'], issues: readonly EngineIssue[]): boolean =>
  code === 'token_revoked' && issues.some((issue) => issue.code.startsWith('removed'))
