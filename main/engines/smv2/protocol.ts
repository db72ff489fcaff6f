import type { WAVersion } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { saveProtocolVersion, protocolVersion } from './store.ts'

interface ProtocolNeeds {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'mono'>
  readonly log: Log
  readonly outbound: Pick<Outbound, 'request'>
  /** The version of the settings; it counts before any other. */
  readonly configured: string | null
}

export interface Protocol {
  /**
   * The version to connect with: that of the settings, else the newest that is known. Once a day this also looks up,
   * without waiting for it, which one the network's own client has.
   * @param bundled the one the library came with
   */
  current(bundled: WAVersion, accountId: AccountId): Promise<WAVersion>
  /**
   * The network has refused this version: looks up which one its own client has, once for all lines that ask meanwhile.
   * @returns whether a newer one is known now.
   */
  refresh(refused: WAVersion, accountId: AccountId): Promise<boolean>
}

interface Source {
  readonly url: string
  readonly revision: RegExp
}

/** Where the network says which version its own web client is. */
export const VERSION_SOURCES: readonly Source[] = [
  { url: 'https://web.whatsapp.com/sw.js', revision: /client_revision\\?":\s*(\d{6,12})\b/ },
  // The same build is the base of its owner's other pages.
  { url: 'https://connect.facebook.net/en_US/sdk.js', revision: /JIT Construction: v(\d{6,12})\b/ },
]
/** What a person's browser sends who types the address. Without the first header the answer is 400. */
const HEADERS = {
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en-US,en;q=0.9',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
}
const ASK_MS = 10_000
const CLIENT_BYTES = 4 * 1024 * 1024
const DAY_MS = 86_400_000
/** Lines that were refused one after the other ask once: nothing new is said within this time. */
const ASK_AGAIN_MS = 60_000

/**
 * The version of the protocol is data: the network refuses old ones within months, all installations on one day, and
 * nobody should have to wait for a release of this program then.
 */
export function createProtocol({ db, clock, log, outbound, configured }: ProtocolNeeds): Protocol {
  let asking: Promise<void> | undefined
  let askedMono = -Infinity

  const stored = async () => (await db.readOne(protocolVersion, {}))?.version ?? null

  async function ask({ url, revision }: Source, accountId: AccountId): Promise<string | undefined> {
    const answer = await outbound.request({
      ...{ url, method: 'GET', headers: HEADERS, from: { accountId } },
      ...{ headersTimeoutMs: ASK_MS, bodyTimeoutMs: ASK_MS, maxBodyBytes: CLIENT_BYTES },
    })
    const found = answer.kind === 'response' && answer.status === 200 ? revision.exec(answer.body.toString()) : null
    if (found?.[1] !== undefined) return `2.3000.${found[1]}`
    const { host } = new URL(url)
    log.warn({ event: 'smv2.version_unknown', host, answer: answer.kind === 'response' ? answer.status : answer.code })
    return undefined
  }

  async function lookUp(accountId: AccountId): Promise<void> {
    try {
      for (const source of VERSION_SOURCES) {
        const version = await ask(source, accountId)
        if (version === undefined) continue
        const known = await stored()
        if (known === null || !isNewer(parseVersion(known), parseVersion(version)))
          await db.commit((tx) => tx.run(saveProtocolVersion, { version, now: clock.now() }))
        return
      }
    } catch (error) {
      log.warn({ event: 'smv2.version_unknown', cause: cause(error) })
    } finally {
      askedMono = clock.mono()
      asking = undefined
    }
  }

  const lookedUp = (accountId: AccountId): Promise<void> => (asking ??= lookUp(accountId))

  async function newest(): Promise<WAVersion | null> {
    const known = configured ?? (await stored())
    return known === null ? null : parseVersion(known)
  }

  return {
    async current(bundled, accountId) {
      if (configured === null && clock.mono() - askedMono > DAY_MS) void lookedUp(accountId)
      const known = await newest()
      return known !== null && (configured !== null || isNewer(known, bundled)) ? known : bundled
    },
    async refresh(refused, accountId) {
      if (configured !== null) return false
      const isKnown = async () => isNewer((await newest()) ?? refused, refused)
      if (await isKnown()) return true
      if (asking !== undefined || clock.mono() - askedMono > ASK_AGAIN_MS) await lookedUp(accountId)
      return isKnown()
    },
  }
}

function parseVersion(text: string): WAVersion {
  const [major = 0, minor = 0, revision = 0] = text.split('.').map(Number)
  return [major, minor, revision]
}

function isNewer(one: WAVersion, other: WAVersion): boolean {
  const at = one.findIndex((part, index) => part !== other[index])
  return at >= 0 && (one[at] ?? 0) > (other[at] ?? 0)
}
