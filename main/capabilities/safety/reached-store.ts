import { sql } from '../../kernel/sql.ts'

/** People that the official numbers of a portfolio reached outside the 24-hour window. */

export const MINUTE_MS = 60_000
export const minuteOf = (ms: number) => Math.floor(ms / MINUTE_MS)

type OfPortfolio = { portfolio: string }
type Person = OfPortfolio & { person: string }
type Message = { instanceId: string; seq: number }

export const insertReached = sql<Message & Person & { at: number }>(
  `INSERT INTO safety_reached (instance_id, message_seq, portfolio, person, reached_at)
   VALUES (:instanceId, :seq, :portfolio, :person, :at)`,
)

export const takeReached = sql<Message, { portfolio: string; person: string; atMs: number }>(
  `DELETE FROM safety_reached WHERE instance_id = :instanceId AND message_seq = :seq
   RETURNING portfolio, person, reached_at AS atMs`,
)

export const lastReached = sql<Person, { atMs: number }>(
  `SELECT reached_at AS atMs FROM safety_reached WHERE portfolio = :portfolio AND person = :person
   ORDER BY reached_at DESC LIMIT 1`,
)

export const seqOfMessage = sql<{ id: string }, { seq: number }>('SELECT seq FROM messages WHERE id = :id')

/** Whether the person wrote after this time. */
export const wroteSince = sql<{ instanceId: string; chat: string; since: number; until: number }, { atMs: number }>(
  `SELECT created_at AS atMs FROM messages WHERE instance_id = :instanceId AND chat = :chat AND direction = 'in'
     AND created_at > :since AND created_at <= :until ORDER BY created_at DESC LIMIT 1`,
)

type Minute = OfPortfolio & { minute: number }

export const addToMinute = sql<Minute>(
  `INSERT INTO safety_minutes (portfolio, minute, people) VALUES (:portfolio, :minute, 1)
   ON CONFLICT (portfolio, minute) DO UPDATE SET people = safety_minutes.people + 1`,
)

/** A minute outside of all limits may have been deleted. */
export const takeFromMinute = sql<Minute>(
  'UPDATE safety_minutes SET people = people - 1 WHERE portfolio = :portfolio AND minute = :minute',
)

export const peopleSince = sql<Minute, { people: number }>(
  `SELECT COALESCE(SUM(people), 0) AS people FROM safety_minutes WHERE portfolio = :portfolio AND minute >= :minute`,
)

/** People whose last message is after `since` and before `end`, at most a minute later. */
export const peopleBetween = sql<OfPortfolio & { since: number; end: number }, { people: number }>(
  `SELECT COUNT(*) AS people FROM safety_reached r
   WHERE r.portfolio = :portfolio AND r.reached_at > :since AND r.reached_at < :end
     AND NOT EXISTS (SELECT 1 FROM safety_reached l
       WHERE l.portfolio = r.portfolio AND l.person = r.person AND l.reached_at >= r.reached_at
         AND (l.reached_at > r.reached_at OR l.message_seq > r.message_seq))`,
)

export const nextReached = sql<OfPortfolio & { from: number }, { atMs: number }>(
  `SELECT reached_at AS atMs FROM safety_reached WHERE portfolio = :portfolio AND reached_at >= :from
   ORDER BY reached_at LIMIT 1`,
)

export const minutesSince = sql<Minute, { minute: number; people: number }>(
  `SELECT minute, people FROM safety_minutes WHERE portfolio = :portfolio AND minute >= :minute ORDER BY minute`,
)

export const peopleClaimed = sql<OfPortfolio & { since: number }, { people: number }>(
  `SELECT COUNT(DISTINCT phone) AS people FROM safety_claims
   WHERE portfolio = :portfolio AND opens = 1 AND claimed_at > :since`,
)

export const claimOf = sql<Person & { since: number }, { claimed: number }>(
  `SELECT claimed_at AS claimed FROM safety_claims WHERE portfolio = :portfolio AND phone = :person AND opens = 1
     AND claimed_at > :since ORDER BY claimed_at DESC LIMIT 1`,
)

type Move = { instanceId: string; from: string; to: string }

export const setPortfolio = sql<{ instanceId: string; portfolio: string }>(
  'UPDATE safety_numbers SET portfolio = :portfolio WHERE instance_id = :instanceId AND is_current = 1',
)
export const moveReached = sql<Move>(
  'UPDATE safety_reached SET portfolio = :to WHERE instance_id = :instanceId AND portfolio = :from',
)
export const moveClaimed = sql<Move>(
  'UPDATE safety_claims SET portfolio = :to WHERE instance_id = :instanceId AND portfolio = :from',
)

export const forgetMinutes = sql<OfPortfolio>('DELETE FROM safety_minutes WHERE portfolio = :portfolio')
export const putMinute = sql<Minute & { people: number }>(
  'INSERT INTO safety_minutes (portfolio, minute, people) VALUES (:portfolio, :minute, :people)',
)

export const portfolioOfNumber = sql<{ instanceId: string }, { portfolio: string | null }>(
  'SELECT portfolio FROM safety_numbers WHERE instance_id = :instanceId AND is_current = 1',
)
export const renameReached = sql<OfPortfolio & { from: string; to: string }>(
  'UPDATE safety_reached SET person = :to WHERE portfolio = :portfolio AND person = :from',
)

export const pruneReached = sql<{ before: number; limit: number }>(
  `DELETE FROM safety_reached WHERE (instance_id, message_seq) IN (
     SELECT instance_id, message_seq FROM safety_reached WHERE reached_at < :before ORDER BY reached_at LIMIT :limit)`,
)
export const pruneMinutes = sql<{ before: number; limit: number }>(
  `DELETE FROM safety_minutes WHERE (portfolio, minute) IN (
     SELECT portfolio, minute FROM safety_minutes WHERE minute < :before ORDER BY minute LIMIT :limit)`,
)
