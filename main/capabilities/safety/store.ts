import type { Engine, InstanceStatus, Network } from '../../contract/shapes.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'
import { sql } from '../../kernel/sql.ts'

type OfInstance = { instanceId: string }

export const QUARTER_MS = 900_000
export const quarterOf = (ms: number) => Math.floor(ms / QUARTER_MS)

const NUMBER = `i.id AS instanceId, i.account_id AS accountId, i.name, i.engine, i.network, i.status,
  i.last_disconnect_reason AS lastDisconnectReason, i.blocked_until AS blockedUntilMs, i.logged_in AS loggedIn,
  n.paired_at AS pairedAtMs, n.claimed_at AS claimedAtMs, n.portfolio
  FROM instances i LEFT JOIN safety_numbers n ON n.instance_id = i.id AND n.is_current = 1`

export interface NumberRow {
  readonly instanceId: InstanceId
  readonly accountId: AccountId
  readonly name: string
  readonly engine: Engine
  readonly network: Network
  readonly status: InstanceStatus
  readonly lastDisconnectReason: string | null
  readonly blockedUntilMs: number | null
  readonly loggedIn: number
  /** null: never paired. */
  readonly pairedAtMs: number | null
  /** When the last send was granted. */
  readonly claimedAtMs: number | null
  /** official: the portfolio in which its messages are counted; null: none yet. */
  readonly portfolio: string | null
}

export const numberOf = sql<OfInstance & { accountId: string }, NumberRow>(
  `SELECT ${NUMBER} WHERE i.id = :instanceId AND i.account_id = :accountId AND i.deleted_at IS NULL`,
)

export const numberById = sql<OfInstance, NumberRow>(
  `SELECT ${NUMBER} WHERE i.id = :instanceId AND i.deleted_at IS NULL`,
)

export const numbersOf = sqlOfList<string, Record<never, never>, NumberRow>(
  (ids) => `SELECT ${NUMBER} WHERE i.id IN (${ids}) AND i.deleted_at IS NULL`,
)

/** The columns needed to ask its engine. */
export type EngineSide = Pick<NumberRow, 'instanceId' | 'accountId' | 'engine' | 'network'>

/** Many rows, so only the needed columns: all connected numbers of the account. */
export const connectedOfAccount = sql<
  { accountId: string; network: Network | null },
  Omit<EngineSide, 'accountId'> & { name: string }
>(
  `SELECT id AS instanceId, name, engine, network FROM instances
   WHERE account_id = :accountId AND deleted_at IS NULL AND status = 'connected' AND (network = :network OR :network IS NULL)`,
)

export const retireNumbers = sql<OfInstance>('UPDATE safety_numbers SET is_current = 0 WHERE instance_id = :instanceId')

/** Keeps the first pairing time if this number was paired before. */
export const pairNumber = sql<OfInstance & { number: string; now: number }>(
  `INSERT INTO safety_numbers (instance_id, number, paired_at, since_seq, is_current)
   VALUES (:instanceId, :number, :now, (SELECT COALESCE(MAX(seq), 0) + 1 FROM messages), 1)
   ON CONFLICT (instance_id, number) DO UPDATE SET is_current = 1`,
)

export const markClaimed = sql<OfInstance & { at: number }>(
  'UPDATE safety_numbers SET claimed_at = :at WHERE instance_id = :instanceId AND is_current = 1',
)

const SINCE = `COALESCE((SELECT since_seq FROM safety_numbers WHERE instance_id = :instanceId AND is_current = 1), 0)`
/** A failed message does not count as exchanged. */
const EXCHANGED = `m.seq >= ${SINCE} AND (m.status IS NULL OR m.status <> 'failed')`

/** Which of the chats have a message that counts, with one index search for each. */
export const exchangedWith = sqlOfList<string, OfInstance, { chat: string }>(
  (chats) => `SELECT v.chat AS chat FROM (${chats
    .split(', ')
    .map((name) => `SELECT ${name} AS chat`)
    .join(' UNION ALL ')}) AS v
   WHERE EXISTS (SELECT 1 FROM messages m WHERE m.instance_id = :instanceId AND m.chat = v.chat AND ${EXCHANGED})`,
)

type Person = OfInstance & { chat: string; other: string }

/**
 * Whether messages were exchanged with a person whose number has two spellings, and whether a message to them is
 * claimed. Runs for every send: with an ORDER BY or MIN, SQLite would prepare it again each time.
 */
export const historyOf = sql<Person & { beforeSeq: number }, { isKnown: number; isClaimed: number }>(
  `SELECT CASE WHEN EXISTS (SELECT 1 FROM messages m
       WHERE m.instance_id = :instanceId AND m.chat IN (:chat, :other) AND m.seq < :beforeSeq AND ${EXCHANGED})
     THEN 1 ELSE 0 END AS isKnown,
     CASE WHEN EXISTS (SELECT 1 FROM safety_claims WHERE instance_id = :instanceId AND phone = :chat)
     THEN 1 ELSE 0 END AS isClaimed`,
)

export const countSent = sql<OfInstance & { quarter: number; firstContact: number }>(
  `INSERT INTO safety_counts (instance_id, quarter, sent, first_contacts) VALUES (:instanceId, :quarter, 1, :firstContact)
   ON CONFLICT (instance_id, quarter) DO UPDATE SET sent = safety_counts.sent + 1,
     first_contacts = safety_counts.first_contacts + excluded.first_contacts`,
)

export const uncountSent = sql<OfInstance & { quarter: number; firstContact: number }>(
  `UPDATE safety_counts SET sent = sent - 1, first_contacts = first_contacts - :firstContact
   WHERE instance_id = :instanceId AND quarter = :quarter AND sent > 0`,
)

const countRefusal = (column: 'spam_limited' | 'withheld') =>
  sql<OfInstance & { quarter: number }>(
    `INSERT INTO safety_counts (instance_id, quarter, ${column}) VALUES (:instanceId, :quarter, 1)
     ON CONFLICT (instance_id, quarter) DO UPDATE SET ${column} = safety_counts.${column} + 1`,
  )

export const countSpamLimited = countRefusal('spam_limited')
export const countWithheld = countRefusal('withheld')

/** The column `opened` is from versions before 60. */
export const insertFirst = sql<OfInstance & { seq: number; quarter: number }>(
  `INSERT INTO safety_firsts (instance_id, message_seq, quarter, first_contact, opened)
   VALUES (:instanceId, :seq, :quarter, 1, 0)`,
)
export const takeFirst = sql<OfInstance & { seq: number }, { firstContact: number }>(
  `DELETE FROM safety_firsts WHERE instance_id = :instanceId AND message_seq = :seq
   RETURNING first_contact AS firstContact`,
)

type Spans = { day: number; dayEnd: number; hour: number; hourEnd: number; last24: number }

export interface CountsRow {
  readonly sentToday: number
  readonly sentThisHour: number
  readonly firstContactsToday: number
  /** Counts of the last 24 hours. */
  readonly sent: number
  readonly withheld: number
  /** The last quarter hour with a refusal for spam. */
  readonly lastSpamLimited: number | null
}

const sumOf = (column: string, from: string, to?: string) =>
  `COALESCE(SUM(CASE WHEN quarter >= :${from}${to ? ` AND quarter < :${to}` : ''} THEN ${column} ELSE 0 END), 0)`

/** @param since the earliest start. All values are quarter hours. */
export const countsOf = sql<OfInstance & Spans & { since: number }, CountsRow>(
  `SELECT ${sumOf('sent', 'day', 'dayEnd')} AS sentToday, ${sumOf('sent', 'hour', 'hourEnd')} AS sentThisHour,
     ${sumOf('first_contacts', 'day', 'dayEnd')} AS firstContactsToday,
     ${sumOf('sent', 'last24')} AS sent, ${sumOf('withheld', 'last24')} AS withheld,
     MAX(CASE WHEN spam_limited > 0 THEN quarter END) AS lastSpamLimited
   FROM safety_counts WHERE instance_id = :instanceId AND quarter >= :since`,
)

type NewClaim = { seq: number; phone: string; cold: number; portfolio: string | null; opens: number; at: number }

export const insertClaim = sql<OfInstance & NewClaim>(
  `INSERT INTO safety_claims (seq, instance_id, phone, cold, portfolio, opens, claimed_at)
   VALUES (:seq, :instanceId, :phone, :cold, :portfolio, :opens, :at)`,
)

export const moveClaims = sql<OfInstance & { from: string; to: string }>(
  'UPDATE safety_claims SET phone = :to WHERE instance_id = :instanceId AND phone = :from',
)

/** Releases the person's oldest claim. */
export const releaseClaim = sql<OfInstance & { phone: string }>(
  `DELETE FROM safety_claims WHERE seq =
     (SELECT MIN(seq) FROM safety_claims WHERE instance_id = :instanceId AND phone = :phone)`,
)

export interface ClaimsRow {
  readonly sends: number
  readonly cold: number
}

export const claimsOf = sql<OfInstance & { since: number }, ClaimsRow>(
  `SELECT COUNT(*) AS sends, COALESCE(SUM(cold), 0) AS cold
   FROM safety_claims WHERE instance_id = :instanceId AND claimed_at > :since`,
)

/**
 * People whom an official number reached are kept until they expire: Meta continues to count them for the portfolio.
 */
export const removeOfInstance = [
  sql<OfInstance>('DELETE FROM safety_numbers WHERE instance_id = :instanceId'),
  sql<OfInstance>('DELETE FROM safety_counts WHERE instance_id = :instanceId'),
  sql<OfInstance>('DELETE FROM safety_firsts WHERE instance_id = :instanceId'),
  sql<OfInstance>('DELETE FROM safety_claims WHERE instance_id = :instanceId'),
]

type Prune = { before: number; limit: number }

export const pruneCounts = sql<Prune>(
  `DELETE FROM safety_counts WHERE (instance_id, quarter) IN (
     SELECT instance_id, quarter FROM safety_counts WHERE quarter < :before ORDER BY quarter LIMIT :limit)`,
)
export const pruneClaims = sql<Prune>(
  `DELETE FROM safety_claims WHERE seq IN (
     SELECT seq FROM safety_claims WHERE claimed_at < :before ORDER BY claimed_at LIMIT :limit)`,
)
export const pruneFirsts = sql<Prune>(
  `DELETE FROM safety_firsts WHERE (instance_id, message_seq) IN (
     SELECT instance_id, message_seq FROM safety_firsts WHERE quarter < :before ORDER BY quarter LIMIT :limit)`,
)
