import { HEALTH_ISSUES } from '../../contract/health-issue-codes.ts'
import type { Network } from '../../contract/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { sql } from '../../kernel/sql.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { linesOfClients, type ClientCount } from '../client-attention.ts'
import { lineOfInstances } from '../instance-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'
import type { Engines } from './engines.ts'
import { troublesOf, type LinkLine, type NumberRow, type Trouble } from './troubles.ts'

interface Deps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly engines: Engines
}

const NUMBER = `i.id, i.account_id AS accountId, i.name, i.engine, i.network, i.status, i.status_at AS statusAtMs,
  i.logged_in AS isLoggedIn, i.will_retry AS isRetrying, i.next_retry_at AS nextRetryAtMs,
  i.link_lost_at AS linkLostAtMs, i.last_connected_at AS lastConnectedAtMs,
  i.last_disconnect_reason AS lastDisconnectReason, i.blocked_until AS blockedUntilMs`

const ofAccount = sql<{ accountId: string; network: Network | null }, NumberRow>(
  `SELECT ${NUMBER} FROM instances i
   WHERE i.account_id = :accountId AND i.deleted_at IS NULL AND (i.network = :network OR :network IS NULL)
   ORDER BY i.created_at, i.id`,
)

/** The clients of an agency. Those that are suspended send nothing. */
const ofClients = sql<{ accountId: string; network: Network | null }, NumberRow & { client: string }>(
  `SELECT a.name AS client, ${NUMBER} FROM accounts a JOIN instances i ON i.account_id = a.id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND a.status = 'active' AND i.deleted_at IS NULL
     AND (i.network = :network OR :network IS NULL)`,
)

const LINK_SEVERITY: Readonly<Record<LinkLine, AttentionLine['severity']>> = {
  banned: 'error',
  signed_out: 'error',
  passkey: 'warning',
  lost: 'warning',
}

/** Thousands of numbers are judged without keeping other requests waiting. */
const AT_ONCE = 250

/** Numbers that need a person, or of which the network has said something that a person should know. */
export function createAttention({ db, clock, engines }: Deps) {
  async function troublesIn<Row extends NumberRow>(numbers: readonly Row[]) {
    const found: (Trouble & { readonly number: Row })[] = []
    for (const [index, number] of numbers.entries()) {
      if (index % AT_ONCE === AT_ONCE - 1) await yieldToEventLoop()
      found.push(...troublesOf(engines, number, clock.now()).map((trouble) => ({ ...trouble, number })))
    }
    return found
  }

  return async ({ accountId, network, role }: AttentionQuery): Promise<AttentionLine[]> => {
    const of = { accountId, network }
    const own = await troublesIn(await db.read(ofAccount, of))
    const ofOthers = role === 'operator' ? await troublesIn(await db.read(ofClients, of)) : []
    const lines = [...Map.groupBy(own, ({ code }) => code)].flatMap(([code, found]) =>
      lineOfInstances(
        code,
        severityOf(code),
        found.map(({ number, ...trouble }) => ({ ...number, ...trouble })),
      ),
    )
    const clients = [...Map.groupBy(ofOthers, ({ number }) => number.accountId)].map(([id, found]): ClientCount => ({
      ...{
        id,
        name: found[0]?.number.client ?? '',
        sinceMs: Math.min(...found.map(({ sinceMs }) => sinceMs ?? clock.now())),
      },
      count: new Set(found.map(({ number }) => number.id)).size,
    }))
    return [...lines, ...linesOfClients('warning', clients)]
  }
}

const isLinkLine = (code: Trouble['code']): code is LinkLine => Object.hasOwn(LINK_SEVERITY, code)

const severityOf = (code: Trouble['code']): AttentionLine['severity'] =>
  isLinkLine(code) ? LINK_SEVERITY[code] : HEALTH_ISSUES[code]
