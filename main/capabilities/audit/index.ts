import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { isoTime } from '../../contract/request.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { CSV_BOM, csvLine } from '../../kernel/csv.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { AUDIT_COLUMNS, type AuditEntry } from './contract.ts'
import { actsPage, actsPageOfActor, insertAct, pruneActs, type AuditRow } from './store.ts'

/** An operation that the API has executed. */
export interface Act {
  readonly room: string
  readonly operation: Operation
  readonly principal: Principal
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
  readonly reply: unknown
  readonly subjectName: string | null
}

export interface AuditDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  /** One-line summary of an operation. */
  readonly summaryOf: (operationId: string) => string
}

export type Audit = ReturnType<typeof createAudit>

const DAY_MS = 86_400_000
const PAGE = 500
const PRUNED_AT_ONCE = 500
/** Frequent operations, and those that change nothing in the account. */
const NOT_KEPT: ReadonlySet<string> = new Set([
  'messages',
  'sandbox',
  'contacts',
  'opt-outs',
  'direct',
  'overview',
  'approvals',
])

/** Whether the operation is recorded in the activity log. */
export const isKept = (room: string, { method, id }: Pick<Operation, 'method' | 'id'>): boolean =>
  method !== 'GET' && !NOT_KEPT.has(room) && !id.startsWith('preview')

export function createAudit({ db, clock, summaryOf }: AuditDeps) {
  const read = (accountId: AccountId, actor: AuditRow['actor'] | null, before: number, rows: number) =>
    actor === null
      ? db.read(actsPage, { accountId, before, rows })
      : db.read(actsPageOfActor, { accountId, actor, before, rows })

  const toEntry = (row: AuditRow): AuditEntry => ({
    ...{ id: String(row.seq), at: isoTime(row.atMs), actor: row.actor, actor_id: row.actorId },
    ...{ actor_name: row.actorName, via: row.via, operation: row.operation, summary: summaryOf(row.operation) },
    ...{ subject_id: row.subjectId, subject_name: row.subjectName },
    // Written below.
    fields: JSON.parse(row.fields) as string[],
  })

  return {
    /** Records who did what. Called for each successful operation that is not a read. */
    async record({ room, operation, principal, params, body, reply, subjectName }: Act): Promise<void> {
      if (!isKept(room, operation)) return
      const { accountId } = principal
      // Ending an unknown session succeeds too, so the id may be another account's.
      const isNamed = !operation.path.includes('/sessions/')
      const named = params['account_id'] ?? params['id'] ?? Object.values(params)[0] ?? idIn(reply)
      const subjectId = isNamed ? named : null
      const fields = typeof body === 'object' && body !== null ? Object.keys(body).slice(0, 50) : []
      const row = {
        ...{ atMs: clock.now(), ...actorOf(principal), via: viaOf(principal), operation: operation.id },
        ...{ subjectId, subjectName: isNamed ? subjectName : null, fields: JSON.stringify(fields) },
      }
      // An agency's changes to a sub-account are recorded in both logs.
      const below = params['account_id']?.toLowerCase() as AccountId | undefined
      await db.commit(async (tx) => {
        await tx.run(insertAct, { ...row, seq: await tx.next('audit_log'), accountId })
        if (below !== undefined && below !== accountId)
          await tx.run(insertAct, { ...row, ...AGENCY, seq: await tx.next('audit_log'), accountId: below })
      })
    },

    async page(accountId: AccountId, actor: AuditRow['actor'] | null, before: number, rows: number) {
      return (await read(accountId, actor, before, rows)).map(toEntry)
    },

    async *csv(accountId: AccountId, actor: AuditRow['actor'] | null): AsyncGenerator<Buffer> {
      yield Buffer.from(CSV_BOM + csvLine(AUDIT_COLUMNS))
      for (let before = Number.MAX_SAFE_INTEGER; ;) {
        const rows = await read(accountId, actor, before, PAGE)
        const lines = rows.map(toEntry).map((entry) => csvLine(AUDIT_COLUMNS.map((name) => cellOf(entry[name]))))
        if (lines.length > 0) yield Buffer.from(lines.join(''))
        const last = rows.at(-1)
        if (last === undefined || rows.length < PAGE) return
        before = last.seq
        await yieldToEventLoop()
      }
    },

    retention: {
      name: 'audit',
      begin: () => async () => {
        const before = clock.now() - LIMITS.auditDays * DAY_MS
        return (await db.commit((tx) => tx.run(pruneActs, { before, limit: PRUNED_AT_ONCE }))) === PRUNED_AT_ONCE
      },
    } satisfies Chore,
  }
}

/** A client's log shows its agency under one name: the agency's people and keys belong to another account. */
const AGENCY = { actor: 'operator', actorId: null, actorName: '' } as const

const cellOf = (value: string | readonly string[] | null) =>
  typeof value === 'object' && value !== null ? value.join(' ') : value

function actorOf({ kind, role, key, member }: Principal): Pick<AuditRow, 'actor' | 'actorId' | 'actorName'> {
  if (kind === 'key') return { actor: 'key', actorId: key?.id ?? null, actorName: key?.name ?? '' }
  if (member !== undefined) return { actor: 'member', actorId: member.id, actorName: member.name }
  return { actor: role === 'operator' ? 'operator' : 'member', actorId: null, actorName: '' }
}

function viaOf({ kind, source }: Principal): AuditRow['via'] {
  if (kind === 'console') return 'window'
  return source === 'mcp' ? 'mcp' : 'api'
}

/** Id of what an operation created. */
function idIn(reply: unknown): string | null {
  if (typeof reply !== 'object' || reply === null) return null
  const { id, campaign_id: campaignId } = reply as Record<string, unknown>
  const found = id ?? campaignId
  return typeof found === 'string' ? found : null
}
