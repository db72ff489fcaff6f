import type { InstanceId } from '../../kernel/ids.ts'
import type { Evidence } from '../engine.ts'
import type { MessageFiles } from './message-files.ts'
import type { LineNetworks } from './line-networks.ts'
import type { Link } from './link.ts'
import type { NewChats } from './new-chats.ts'
import type { Restrictions } from './restrictions.ts'

interface Known {
  readonly id: InstanceId
  /** Undefined: nothing was asked of the instance since the service started. */
  readonly link: Link | undefined
  readonly restrictions: Pick<Restrictions, 'of'>
  readonly newChats: Pick<NewChats, 'evidence'>
  readonly files: Pick<MessageFiles, 'missing'>
  readonly networks: Pick<LineNetworks, 'proxyFailure'>
}

type Issue = NonNullable<Evidence['issues']>[number]

/** What is known of a link without asking anybody: by what came over it, not by what it calls itself. */
export function evidenceOf({ id, link, restrictions, newChats, files, networks }: Known): Evidence {
  const { lastSeenAtMs = null, latencyMs = null, doubtfulSinceMs = null } = link?.liveness.evidence() ?? {}
  const issues: Issue[] = []
  if (doubtfulSinceMs !== null) issues.push({ code: 'link_doubtful', message: DOUBTFUL, sinceMs: doubtfulSinceMs })
  const proxy = networks.proxyFailure(id)
  if (proxy !== null) {
    const message = `${proxy.message} The line connects again as soon as the proxy works. Check the proxy, or remove it from the line's settings.`
    issues.push({ code: 'proxy_failed', message, sinceMs: proxy.sinceMs })
  }
  const missing = files.missing(id)
  if (missing !== null) {
    const what = missing.count === 1 ? 'A file that somebody sent' : `${missing.count} files that people sent`
    const message = `${what} could not be fetched: damaged, or no longer on WhatsApp's server. Ask for it again.`
    issues.push({ code: 'media_missing', message, sinceMs: missing.sinceMs })
  }
  return {
    ...{ reachable: true, lastSeenAtMs, latencyMs, quality: null, issues },
    restriction: restrictions.of(id),
    newChats: newChats.evidence(id),
  }
}

const DOUBTFUL =
  'The link calls itself open, and nothing has come over it for a while. It is renewed by itself within a minute.'
