import { ApiError } from '../../contract/errors.ts'
import { EVENT_TYPES } from '../../contract/events.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { earliestId, type Ids } from '../../kernel/ids.ts'
import { subjectSeq } from '../../kernel/ledger.ts'
import type { Log } from '../../kernel/log.ts'
import { sql } from '../../kernel/sql.ts'
import type { ReplayBody } from './contract/deliveries.ts'
import { insertRequestedDelivery, requireActive } from './requested-delivery.ts'
import { noSuchWebhook } from './rotation.ts'
import { RETRY } from './states.ts'
import { webhookById, type WebhookRow } from './store.ts'
import { requireSoleWildcard } from './webhook-operations.ts'

/** Events one commit looks at. */
const PAGE = 500
/** What is replayed becomes due over this time, in steps, and not all at once. */
const SPREAD_MS = 10_000
const SPREAD_STEPS = 20
const DAY_MS = 24 * 3_600_000

interface RecordedEvent {
  readonly seq: number
  readonly accountSeq: number
  readonly instanceSeq: number
  readonly type: string
  readonly createdAtMs: number
  /** The webhook already has a delivery of it, in any status. */
  readonly hasDelivery: 0 | 1
}

const recordedOf = (type: string) =>
  `SELECT e.seq AS seq, e.account_seq AS accountSeq, e.instance_seq AS instanceSeq, e.type, e.created_at AS createdAtMs,
          CASE WHEN e.only_for IS NOT NULL OR EXISTS (
             SELECT 1 FROM deliveries d WHERE d.event_seq = e.seq AND d.webhook_seq = :webhook) THEN 1 ELSE 0 END AS hasDelivery
     FROM events e WHERE e.account_seq = ${subjectSeq(':accountId')} AND e.type = '${type}' AND e.seq > :after`

/**
 * Every event counts here, wanted or not, so that a page never reads on and on for the few that are. The account's
 * events lie in order by type, and the lists are merged.
 */
const recorded = sql<{ accountId: string; webhook: number; after: number; rows: number }, RecordedEvent>(
  `${EVENT_TYPES.map(recordedOf).join(' UNION ALL ')} ORDER BY seq LIMIT :rows`,
)

/** Ids are time-ordered, so where a period begins is found in their index. */
const lastBefore = sql<{ eventId: string }, { seq: number }>(
  'SELECT seq FROM events WHERE event_id < :eventId ORDER BY event_id DESC LIMIT 1',
)

interface ReplayDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'delivery'>
  readonly log: Log
  readonly wake: (webhooks: readonly { seq: number; maxInFlight: number }[]) => void
}

/**
 * Creates the deliveries that a webhook never had: one for each recorded event of a period. Only at its owner's request. In
 * the lane of retries, so that fresh events keep half of the slots. Doing it twice is harmless, at the same time too.
 */
export function createReplay({ db, clock, ids, log, wake }: ReplayDeps) {
  /** Pages are read outside; the commit checks that the webhook is active and the delivery is new. */
  async function make(tx: Tx, accountId: string, id: string, events: readonly RecordedEvent[]): Promise<number> {
    const webhook = await active(tx, accountId, id)
    const now = clock.now()
    let made = 0
    for (const { seq: eventSeq, accountSeq, instanceSeq, type: eventType } of events) {
      const gap = (made % SPREAD_STEPS) * (SPREAD_MS / SPREAD_STEPS)
      made += await tx.run(insertRequestedDelivery, {
        seq: await tx.next('deliveries'),
        id: ids.delivery(),
        accountSeq,
        webhookSeq: webhook.seq,
        eventSeq,
        instanceSeq,
        eventType,
        lane: RETRY,
        now,
        dueAt: now + gap,
        gap,
      })
    }
    if (made > 0) tx.afterCommit(() => wake([webhook]))
    return made
  }

  /** @throws ApiError not_found, invalid_state when the webhook is not active, validation_error. */
  return async function replay(accountId: string, id: string, body: ReplayBody): Promise<{ replayed: number }> {
    const webhook = await db.commit((tx) => found(tx, accountId, id))
    // The body is judged before the state.
    const { sinceMs, untilMs } = periodOf(body, clock.now())
    const isWanted = wantedBy(webhook, body)
    requireActive(webhook)
    const begin = await db.readOne(lastBefore, { eventId: earliestId('evt', sinceMs) })
    let after: number | undefined = begin?.seq ?? 0
    let replayed = 0
    while (after !== undefined && replayed < LIMITS.replayAtMost) {
      const page: RecordedEvent[] = await db.read(recorded, { accountId, webhook: webhook.seq, after, rows: PAGE })
      const missed = page.filter(
        ({ hasDelivery, createdAtMs: at, type }) =>
          hasDelivery === 0 && at >= sinceMs && at < untilMs && isWanted(type),
      )
      const due = missed.slice(0, LIMITS.replayAtMost - replayed)
      if (due.length > 0) replayed += await db.commit((tx) => make(tx, accountId, id, due))
      after = page.length < PAGE ? undefined : page.at(-1)?.seq
    }
    log.info({ event: 'webhook.replayed', webhookId: id, replayed })
    return { replayed }
  }
}

async function found(tx: Tx, accountId: string, id: string): Promise<WebhookRow> {
  const webhook = await tx.one(webhookById, { id, accountId })
  if (webhook) return webhook
  throw noSuchWebhook()
}

async function active(tx: Tx, accountId: string, id: string): Promise<WebhookRow> {
  const webhook = await found(tx, accountId, id)
  requireActive(webhook)
  return webhook
}

function periodOf({ since, until }: ReplayBody, nowMs: number): { sinceMs: number; untilMs: number } {
  const sinceMs = Date.parse(since)
  const untilMs = until === undefined ? Infinity : Date.parse(until)
  if (untilMs <= sinceMs)
    throw new ApiError('validation_error', 'until must be later than since.').because('times_order')
  if (sinceMs >= nowMs - LIMITS.eventDays * DAY_MS) return { sinceMs, untilMs }
  throw new ApiError(
    'validation_error',
    `since must be within the last ${LIMITS.eventDays} days. Older events are not kept.`,
  ).because('since_too_old', { n: LIMITS.eventDays })
}

/** What the webhook listens to, or the part of it that was asked for. */
function wantedBy(webhook: WebhookRow, { events: asked = ['*'] }: ReplayBody): (type: string) => boolean {
  requireSoleWildcard(asked)
  const subscribed: readonly string[] = JSON.parse(webhook.events) as string[]
  const isSubscribed = (type: string) => subscribed.includes('*') || subscribed.includes(type)
  if (asked.includes('*')) return isSubscribed
  const notSubscribed = asked.find((type) => !isSubscribed(type))
  if (notSubscribed === undefined) return (type) => (asked as readonly string[]).includes(type)
  throw new ApiError(
    'validation_error',
    `This webhook is not subscribed to ${notSubscribed}. Remove it from events, or subscribe the webhook first.`,
  ).because('not_subscribed', { events: notSubscribed })
}
