import type { WAVersion } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { saveProtocolVersion, protocolVersion } from './store.ts'

interface ProtocolNeeds {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'mono' | 'after'>
  readonly log: Log
  readonly outbound: Pick<Outbound, 'request'>
  /** The version of the settings; it counts before any other. */
  readonly configured: string | null
}

export interface Protocol {
  /**
   * The version to connect with: that of the settings, else the newest that is known. Once a day this also looks up which
   * one the network's own client has. It waits for that, for some seconds, only where the known one is old.
   * @param bundled the one the library came with
   */
  current(bundled: WAVersion, accountId: AccountId): Promise<WAVersion>
  /**
   * The network has refused this version: looks up which one its own client has, once for all lines that ask meanwhile.
   * @returns whether a newer one is known now.
   */
  refresh(refused: WAVersion, accountId: AccountId): Promise<boolean>
  /** What is wrong with the look-up; null: the last one succeeded, or there was none. */
  failure(): LookUpFailure | null
}

export interface LookUpFailure {
  /** That lines connect with meanwhile. */
  readonly version: string
  /** null: no page has ever named a version, so it is the one that the library came with. */
  readonly learnedAtMs: number | null
  readonly sinceMs: number
  /** Of each page, such as `web.whatsapp.com: 400`. */
  readonly answers: string
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
/** After a look-up that failed. */
const TRY_AGAIN_MS = 3_600_000
/** Lines do not connect with an older one before the next is looked up: a refusal would cost more than the wait. */
const OLD_MS = 14 * DAY_MS
const WAIT_MS = 5_000

/**
 * The version of the protocol is data: the network refuses old ones within months, all installations on one day, and
 * nobody should have to wait for a release of this program then.
 */
export function createProtocol({ db, clock, log, outbound, configured }: ProtocolNeeds): Protocol {
  let asking: Promise<void> | undefined
  let askedMono = -Infinity
  let failed: { readonly sinceMs: number; readonly answers: string } | null = null
  /** As of the last time that a line connected. */
  let used: Pick<LookUpFailure, 'version' | 'learnedAtMs'> | null = null

  const stored = () => db.readOne(protocolVersion, {})

  async function ask(url: string, revision: RegExp, accountId: AccountId) {
    const answer = await outbound.request({
      ...{ url, method: 'GET', headers: HEADERS, from: { accountId } },
      ...{ headersTimeoutMs: ASK_MS, bodyTimeoutMs: ASK_MS, maxBodyBytes: CLIENT_BYTES },
    })
    const found = answer.kind === 'response' && answer.status === 200 ? revision.exec(answer.body.toString()) : null
    if (found?.[1] !== undefined) return { version: `2.3000.${found[1]}` }
    const { host } = new URL(url)
    const said = answer.kind === 'response' ? answer.status : answer.code
    log.warn({ event: 'smv2.version_unknown', host, answer: said })
    return { answer: `${host}: ${said === 200 ? 'no version' : said}` }
  }

  async function findVersion(accountId: AccountId): Promise<void> {
    const answers: string[] = []
    for (const { url, revision } of VERSION_SOURCES) {
      const { version, answer } = await ask(url, revision, accountId)
      if (version === undefined) {
        answers.push(answer)
        continue
      }
      const known = (await stored())?.version
      if (known === undefined || !isNewer(parseVersion(known), parseVersion(version)))
        await db.commit((tx) => tx.run(saveProtocolVersion, { version, now: clock.now() }))
      failed = null
      return
    }
    failed = { sinceMs: failed?.sinceMs ?? clock.now(), answers: answers.join(', ') }
  }

  async function lookUp(accountId: AccountId): Promise<void> {
    try {
      await findVersion(accountId)
    } catch (error) {
      log.warn({ event: 'smv2.version_unknown', cause: cause(error) })
    } finally {
      askedMono = clock.mono()
      asking = undefined
    }
  }

  const lookedUp = (accountId: AccountId): Promise<void> => (asking ??= lookUp(accountId))

  const isDue = () => clock.mono() - askedMono > (failed === null ? DAY_MS : TRY_AGAIN_MS)

  async function isOld(): Promise<boolean> {
    const known = await stored()
    return known === undefined || clock.now() - known.learnedAtMs > OLD_MS
  }

  async function newest(): Promise<WAVersion | null> {
    const known = configured ?? (await stored())?.version
    return known === undefined ? null : parseVersion(known)
  }

  async function choose(bundled: WAVersion): Promise<WAVersion> {
    const known = await stored()
    const learned = known && parseVersion(known.version)
    const chosen = learned && isNewer(learned, bundled) ? learned : bundled
    used = { version: chosen.join('.'), learnedAtMs: chosen === learned ? (known?.learnedAtMs ?? null) : null }
    return chosen
  }

  return {
    async current(bundled, accountId) {
      if (configured !== null) return parseVersion(configured)
      // A look-up that has just failed is not waited for again by each of many lines.
      if (asking !== undefined || isDue()) {
        const looking = lookedUp(accountId)
        if (failed === null && (await isOld())) await within(clock, WAIT_MS, looking)
      }
      return choose(bundled)
    },
    async refresh(refused, accountId) {
      if (configured !== null) return false
      const isKnown = async () => isNewer((await newest()) ?? refused, refused)
      if (await isKnown()) return true
      if (asking !== undefined || clock.mono() - askedMono > ASK_AGAIN_MS) await lookedUp(accountId)
      return isKnown()
    },
    failure: () => failed && used && { ...used, ...failed },
  }
}

/** Waits for the work, or for as long as this. */
function within(clock: Pick<Clock, 'after'>, ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, () => resolve())
    void work.finally(() => {
      timer.cancel()
      resolve()
    })
  })
}

function parseVersion(text: string): WAVersion {
  const [major = 0, minor = 0, revision = 0] = text.split('.').map(Number)
  return [major, minor, revision]
}

function isNewer(one: WAVersion, other: WAVersion): boolean {
  const at = one.findIndex((part, index) => part !== other[index])
  return at >= 0 && (one[at] ?? 0) > (other[at] ?? 0)
}
