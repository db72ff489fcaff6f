import type { WAVersion } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { saveProtocolVersion, protocolVersion } from './store.ts'

interface ProtocolNeeds {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly outbound: Pick<Outbound, 'request'>
  /** The version of the settings; it counts before any other. */
  readonly configured: string | null
}

export interface Protocol {
  /** The version to connect with; null: the one the library came with. */
  current(): Promise<WAVersion | null>
  /**
   * The network refuses the current one: asks it which one its own client has.
   * @returns whether there is another one now.
   */
  refresh(accountId: AccountId): Promise<boolean>
}

/** Where the network's own web client says which version it is. */
const CLIENT = 'https://web.whatsapp.com/sw.js'
const ASK_MS = 10_000
const CLIENT_BYTES = 4 * 1024 * 1024

/**
 * The version of the protocol is data: the network refuses old ones within months, and nobody should have to wait for a
 * release of this program then.
 */
export function createProtocol({ db, clock, log, outbound, configured }: ProtocolNeeds): Protocol {
  async function ask(accountId: AccountId): Promise<string | undefined> {
    const answer = await outbound.request({
      ...{ url: CLIENT, method: 'GET', headers: {}, from: { accountId } },
      ...{ headersTimeoutMs: ASK_MS, bodyTimeoutMs: ASK_MS, maxBodyBytes: CLIENT_BYTES },
    })
    if (answer.kind === 'response' && answer.status === 200) return revisionIn(answer.body.toString())
    log.warn({ event: 'smv2.version_unknown', answer: answer.kind === 'response' ? answer.status : answer.code })
    return undefined
  }

  return {
    async current() {
      const known = configured ?? (await db.readOne(protocolVersion, {}))?.version ?? null
      return known === null ? null : parseVersion(known)
    },
    async refresh(accountId) {
      if (configured !== null) return false
      try {
        const revision = await ask(accountId)
        const before = (await db.readOne(protocolVersion, {}))?.version
        const version = `2.3000.${revision ?? ''}`
        if (revision === undefined || version === before) return false
        await db.commit((tx) => tx.run(saveProtocolVersion, { version, now: clock.now() }))
        return true
      } catch (error) {
        log.warn({ event: 'smv2.version_unknown', cause: cause(error) })
        return false
      }
    },
  }
}

const revisionIn = (client: string): string | undefined => /client_revision\\?":\s*(\d{6,12})\b/.exec(client)?.[1]

function parseVersion(text: string): WAVersion {
  const [major = 0, minor = 0, revision = 0] = text.split('.').map(Number)
  return [major, minor, revision]
}
