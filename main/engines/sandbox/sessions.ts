import type { Engine } from '../../contract/shapes.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { EngineInstance } from '../engine.ts'
import { NO_PAGE_TOKEN, PAGE_TOKEN_COLUMNS, type PageTokenColumns, type PageTokens } from '../page-token.ts'

/** The link between an instance and a number on the sandbox network. Like a stored session, it survives restarts. */
export interface Session extends PageTokenColumns {
  readonly instanceId: InstanceId
  readonly accountId: AccountId
  readonly engine: Engine
  /** null: not paired. */
  readonly number: string | null
  readonly name: string | null
  /** Connected: messages can be sent and received. */
  readonly up: boolean
  /** When a dropped connection reconnects. */
  readonly healsAtMs: number | null
  readonly restrictedAtMs: number | null
  readonly restrictedUntilMs: number | null
}

export type PairedSession = Session & { readonly number: string }

export const isPaired = (session: Session | undefined): session is PairedSession =>
  session !== undefined && session.number !== null

type Row = Omit<Session, 'up'> & { readonly up: number }
interface Id {
  instanceId: string
}

const COLUMNS = `instance_id AS instanceId, account_id AS accountId, engine, number, name, up, heals_at AS healsAtMs,
  ${PAGE_TOKEN_COLUMNS}, restricted_at AS restrictedAtMs, restricted_until AS restrictedUntilMs`

const all = sql<Record<never, never>, Row>(`SELECT ${COLUMNS} FROM sandbox_lines`)

const add = sql<Id & { accountId: string; engine: string }>(
  `INSERT INTO sandbox_lines (instance_id, account_id, engine, up) VALUES (:instanceId, :accountId, :engine, 0)
   ON CONFLICT (instance_id) DO NOTHING`,
)

const update = <P extends object = Record<never, never>>(change: string, condition = '') =>
  sql<Id & P, Row>(
    `UPDATE sandbox_lines SET ${change} WHERE instance_id = :instanceId ${condition} RETURNING ${COLUMNS}`,
  )

const pair = update<{ number: string; name: string }>(
  `number = :number, name = :name, up = 1, heals_at = NULL, ${NO_PAGE_TOKEN}`,
  'AND number IS NULL',
)
const raise = update('up = 1, heals_at = NULL', 'AND number IS NOT NULL')
const lower = update<{ healsAt: number | null }>('up = 0, heals_at = :healsAt', 'AND number IS NOT NULL')
const unpair = update('number = NULL, name = NULL, up = 0, heals_at = NULL')
type GivenToken = ReturnType<PageTokens['make']>
const giveToken = update<GivenToken>(
  'token_hash = :tokenHash, token_sealed = :tokenSealed',
  'AND token_hash IS NULL AND number IS NULL',
)
const restrict = update<{ now: number; until: number }>('restricted_at = :now, restricted_until = :until')
const rename = update<{ name: string }>('name = :name', 'AND number IS NOT NULL')
const rehome = update<{ accountId: string }>('account_id = :accountId')
const renewToken = update(NO_PAGE_TOKEN, 'AND token_hash IS NOT NULL')
const remove = sql<Id>('DELETE FROM sandbox_lines WHERE instance_id = :instanceId')

export type Sessions = ReturnType<typeof createSessions>

/**
 * All sessions, in the database and in memory. Changes are SQL updates with a condition and reach the memory after
 * the commit. Each returns the updated session, or undefined when its condition did not hold.
 */
export function createSessions({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  const sessions = new Map<InstanceId, Session>()
  const byNumber = new Map<string, Set<InstanceId>>()
  let loading: Promise<void> | undefined

  function put(session: Session): void {
    drop(session.instanceId)
    sessions.set(session.instanceId, session)
    if (!isPaired(session)) return
    const key = `${session.accountId} ${session.number}`
    byNumber.set(key, (byNumber.get(key) ?? new Set()).add(session.instanceId))
  }

  function drop(instanceId: InstanceId): void {
    const session = sessions.get(instanceId)
    if (session === undefined) return
    sessions.delete(instanceId)
    const key = `${session.accountId} ${String(session.number)}`
    byNumber.get(key)?.delete(instanceId)
    if (byNumber.get(key)?.size === 0) byNumber.delete(key)
  }

  async function load(): Promise<void> {
    const rows = await pageTokens.protect('sandbox_lines', await db.read(all, {}))
    for (const row of rows) if (!sessions.has(row.instanceId)) put(toSession(row))
  }

  function written(tx: Tx, row: Row | undefined): Session | undefined {
    if (row === undefined) return undefined
    const session = toSession(row)
    tx.afterCommit(() => put(session))
    return session
  }

  return {
    /** Reads all sessions, once. */
    load: () => (loading ??= load()),
    of: (instanceId: InstanceId): Session | undefined => sessions.get(instanceId),
    all: (): readonly Session[] => [...sessions.values()],
    /** Every session with this number, connected or not. */
    withNumber: (accountId: AccountId, number: string): readonly InstanceId[] => [
      ...(byNumber.get(`${accountId} ${number}`) ?? []),
    ],
    async ensure(tx: Tx, { id, accountId, engine }: EngineInstance) {
      await tx.run(add, { instanceId: id, accountId, engine })
    },
    /** Pairs only a session without a number. */
    pair: async (tx: Tx, instanceId: InstanceId, number: string, name: string) =>
      written(tx, await tx.one(pair, { instanceId, number, name })),
    enable: async (tx: Tx, instanceId: InstanceId) => written(tx, await tx.one(raise, { instanceId })),
    lower: async (tx: Tx, instanceId: InstanceId, healsAt: number | null) =>
      written(tx, await tx.one(lower, { instanceId, healsAt })),
    unpair: async (tx: Tx, instanceId: InstanceId) => written(tx, await tx.one(unpair, { instanceId })),
    renewToken: async (tx: Tx, instanceId: InstanceId) => written(tx, await tx.one(renewToken, { instanceId })),
    giveToken: async (tx: Tx, instanceId: InstanceId, token: GivenToken) =>
      written(tx, await tx.one(giveToken, { instanceId, ...token })),
    restrict: async (tx: Tx, instanceId: InstanceId, now: number, until: number) =>
      written(tx, await tx.one(restrict, { instanceId, now, until })),
    rename: async (tx: Tx, instanceId: InstanceId, name: string) =>
      written(tx, await tx.one(rename, { instanceId, name })),
    rehome: async (tx: Tx, instanceId: InstanceId, accountId: AccountId) =>
      written(tx, await tx.one(rehome, { instanceId, accountId })),
    async remove(tx: Tx, instanceId: InstanceId) {
      await tx.run(remove, { instanceId })
      tx.afterCommit(() => drop(instanceId))
    },
  }
}

const toSession = (row: Row): Session => ({ ...row, up: row.up === 1 })
