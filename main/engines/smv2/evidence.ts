import type { InstanceId } from '../../kernel/ids.ts'
import type { EngineIssue, Evidence } from '../engine.ts'
import type { MessageFiles } from './message-files.ts'
import type { LineNetworks } from './line-networks.ts'
import type { Link } from './link.ts'
import type { NewChats } from './new-chats.ts'
import type { LookUpFailure, Protocol } from './protocol.ts'
import type { Restrictions } from './restrictions.ts'

interface Known {
  readonly id: InstanceId
  /** Undefined: nothing was asked of the instance since the service started. */
  readonly link: Link | undefined
  readonly restrictions: Pick<Restrictions, 'of'>
  readonly newChats: Pick<NewChats, 'evidence'>
  readonly files: Pick<MessageFiles, 'missing'>
  readonly networks: Pick<LineNetworks, 'proxyFailure'>
  readonly protocol: Pick<Protocol, 'failure'>
  readonly nowMs: number
}

/** Whether a connection works, judged by the traffic on it and not by its own state. */
export function evidenceOf({ id, link, restrictions, newChats, files, networks, protocol, nowMs }: Known): Evidence {
  const { lastSeenAtMs = null, latencyMs = null, doubtfulSinceMs = null } = link?.liveness.evidence() ?? {}
  const issues: EngineIssue[] = []
  if (doubtfulSinceMs !== null) issues.push({ code: 'link_doubtful', message: DOUBTFUL, sinceMs: doubtfulSinceMs })
  const proxy = networks.proxyFailure(id)
  if (proxy !== null) {
    const message = `${proxy.message} The line connects again as soon as the proxy works. Check the proxy, or remove it from the line's settings.`
    issues.push({ code: 'proxy_failed', message, sinceMs: proxy.sinceMs })
  }
  const lookUp = protocol.failure()
  if (lookUp !== null && link !== undefined)
    issues.push({ code: 'version_unknown', message: versionWords(lookUp, nowMs), sinceMs: lookUp.sinceMs })
  const missing = files.missing(id)
  if (missing !== null) {
    const what = missing.count === 1 ? 'A file that somebody sent' : `${missing.count} files that people sent`
    const message = `${what} could not be fetched: damaged, or no longer on WhatsApp's server. Ask for it again.`
    issues.push({ code: 'media_missing', message, sinceMs: missing.sinceMs, facts: { count: missing.count } })
  }
  return {
    ...{ reachable: true, lastSeenAtMs, latencyMs, quality: null, issues },
    restriction: restrictions.of(id),
    newChats: newChats.evidence(id),
  }
}

const DOUBTFUL =
  'The link calls itself open, and nothing has come over it for a while. It is renewed by itself within a minute.'

const DAY_MS = 86_400_000

/** WhatsApp has refused versions of this age, for all phones on one day. */
const REFUSED_DAYS = 80

function versionWords({ version, learnedAtMs, answers }: LookUpFailure, nowMs: number): string {
  const days = learnedAtMs === null ? null : Math.max(0, Math.floor((nowMs - learnedAtMs) / DAY_MS))
  const age =
    days === null
      ? 'the one this release came with'
      : `which WhatsApp named ${days === 0 ? 'today' : days === 1 ? 'a day ago' : `${days} days ago`}`
  return (
    `Switchboard cannot look up the current version of WhatsApp Web (${answers}). This number connects as version ` +
    `${version}, ${age}. WhatsApp refuses versions older than about ${REFUSED_DAYS} days; the number then disconnects. ` +
    'Allow https requests to web.whatsapp.com and connect.facebook.net, or update Switchboard. It tries again every hour.'
  )
}
