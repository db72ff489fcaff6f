import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../main/contract/limits.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { ACCOUNT, codeOf, HOUR, MINUTE, SECOND, webhookWorld, type WebhookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

const DAY = 24 * HOUR
const at = (ms: number) => new Date(ms).toISOString()
const ago = (w: WebhookWorld, ms: number) => at(w.clock.now() - ms)

/** What the receiver of this name has seen, by event. */
const eventsAt = (w: WebhookWorld, name: string) =>
  w.seen.filter((seen) => seen.name === name).map(({ eventId }) => eventId)

const STRANGER = '0197f0c2-0000-7c51-9d2b-000000000002' as AccountId

describe('a replay', () => {
  test('sends what happened before the webhook existed: same event_id, attempt 1, oldest first', async () => {
    const w = await webhookWorld()
    const made = await w.happenTimes(30)
    await w.clock.advance(MINUTE)
    const { id } = await w.hook('late')
    const answer = await w.webhooks().replay(ACCOUNT, id, { since: ago(w, HOUR) })
    expect(answer).toEqual({ replayed: 30 })

    await w.pass(MINUTE)
    expect(eventsAt(w, 'late').toSorted()).toEqual(made.toSorted())
    expect(new Set(w.seen.map(({ attempt }) => attempt))).toEqual(new Set([1]))
    const { data } = await w.webhooks().listDeliveries(ACCOUNT, { webhook_id: id, limit: 200 })
    expect(new Set(data.map(({ status }) => status))).toEqual(new Set(['delivered']))
  })

  test('is spread over ten seconds, in the lane of retries', async () => {
    const w = await webhookWorld({ started: false })
    await w.happenTimes(50)
    const { id } = await w.hook('late')
    await w.webhooks().replay(ACCOUNT, id, { since: ago(w, HOUR) })
    const rows = w.database.raw
      .prepare('SELECT lane, status, attempts, next_attempt_at AS due, gap_ms AS gap FROM deliveries')
      .all()
    const due = rows as { lane: number; status: string; attempts: number; due: number; gap: number }[]
    expect(new Set(due.map(({ lane, status, attempts }) => `${lane} ${status} ${attempts}`))).toEqual(
      new Set(['1 pending 0']),
    )
    expect(Math.min(...due.map((row) => row.due))).toBe(w.clock.now())
    expect(Math.max(...due.map((row) => row.due))).toBe(w.clock.now() + 9_500)
    for (const row of due) expect(row.due).toBe(w.clock.now() + row.gap)
    await w.webhooks().recover()
    expect(
      w.database.raw
        .prepare('SELECT lane, status, attempts, next_attempt_at AS due, gap_ms AS gap FROM deliveries')
        .all(),
    ).toEqual(rows)
  })

  test('never repeats events the webhook already has, whatever their status', async () => {
    const w = await webhookWorld()
    const { id } = await w.hook('shop')
    w.answer((_seen, nth) => ({ status: nth === 1 ? 500 : 200 }))
    await w.happenTimes(3)
    await w.idle()
    await w.webhooks().update(ACCOUNT, id, { active: false }, keepsAccess)
    await w.happen()
    await w.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
    const before = w.database.raw.prepare('SELECT COUNT(*) AS count FROM deliveries').get()
    expect(await w.webhooks().replay(ACCOUNT, id, { since: ago(w, HOUR) })).toEqual({ replayed: 0 })
    expect(w.database.raw.prepare('SELECT COUNT(*) AS count FROM deliveries').get()).toEqual(before)
  })

  test('S-06 sends what a deactivated webhook did not get', async () => {
    const w = await webhookWorld()
    const { id } = await w.hook('shop')
    w.answer({ status: 410 })
    const first = await w.happen()
    await w.idle()
    const missed = await w.happenTimes(5)
    w.answer({ status: 200 })
    await w.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
    expect(await w.webhooks().replay(ACCOUNT, id, { since: ago(w, HOUR) })).toEqual({ replayed: 5 })
    await w.pass(MINUTE)
    expect(new Set(eventsAt(w, 'shop'))).toEqual(new Set([first, ...missed]))
  })

  test('S-10 made twice, and ten times concurrently, creates each delivery once', async () => {
    const w = await webhookWorld()
    await w.happenTimes(1_200)
    const { id } = await w.hook('late')
    const body = { since: ago(w, HOUR) }
    const answers = await Promise.all(Array.from({ length: 10 }, () => w.webhooks().replay(ACCOUNT, id, body)))
    expect(answers.reduce((sum, { replayed }) => sum + replayed, 0)).toBe(1_200)
    expect(await w.webhooks().replay(ACCOUNT, id, body)).toEqual({ replayed: 0 })
    const row = w.database.raw.prepare('SELECT COUNT(*) AS count FROM deliveries').get()
    expect(row).toEqual({ count: 1_200 })
  })

  test('touches at most 500 rows in one commit', async () => {
    const w = await webhookWorld({ started: false })
    await w.happenTimes(1_300)
    const { id } = await w.hook('late')
    const sizes: number[] = []
    const raw = w.database.raw
    const count = () => (raw.prepare('SELECT COUNT(*) AS count FROM deliveries').get() as { count: number }).count
    const replay = w.webhooks().replay(ACCOUNT, id, { since: ago(w, HOUR) })
    for (let seen = 0; seen < 1_300; seen = count()) {
      await new Promise((resolve) => setImmediate(resolve))
      sizes.push(count() - seen)
    }
    await replay
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
    expect(count()).toBe(1_300)
  })

  test('includes the types of the webhook, or the named part of them', async () => {
    const w = await webhookWorld()
    await w.happenTimes(2, { type: 'message.received' })
    await w.happenTimes(3, { type: 'message.failed' })
    await w.happenTimes(4, { type: 'instance.connected' })
    const { id } = await w.hook('late', { events: ['message.received', 'message.failed'] })
    const since = ago(w, HOUR)
    expect(await w.webhooks().replay(ACCOUNT, id, { since, events: ['message.failed'] })).toEqual({ replayed: 3 })
    expect(await w.webhooks().replay(ACCOUNT, id, { since, events: ['*'] })).toEqual({ replayed: 2 })
    expect(await codeOf(w.webhooks().replay(ACCOUNT, id, { since, events: ['instance.connected'] }))).toBe(
      'validation_error',
    )
  })

  test('takes the period from since, included, to until, excluded', async () => {
    const w = await webhookWorld()
    const begin = w.clock.now()
    for (let i = 0; i < 5; i++) {
      await w.happen()
      await w.clock.advance(MINUTE)
    }
    const { id } = await w.hook('late')
    const period = (from: number, to: number) => ({ since: at(begin + from * MINUTE), until: at(begin + to * MINUTE) })
    expect(await w.webhooks().replay(ACCOUNT, id, period(1, 3))).toEqual({ replayed: 2 })
    expect(await w.webhooks().replay(ACCOUNT, id, period(0, 5))).toEqual({ replayed: 3 })
    expect(await w.webhooks().replay(ACCOUNT, id, period(5, 6))).toEqual({ replayed: 0 })
  })

  test('includes only events of its own account', async () => {
    const w = await webhookWorld()
    await w.happenTimes(3, { accountId: STRANGER })
    const { id } = await w.hook('late')
    expect(await w.webhooks().replay(ACCOUNT, id, { since: ago(w, HOUR) })).toEqual({ replayed: 0 })
  })

  test('S-10 leaves fresh events half of the slots', async () => {
    const w = await webhookWorld()
    await w.happenTimes(400)
    const { id } = await w.hook('late', { max_in_flight: 4 })
    w.answer({ delayMs: SECOND })
    await w.webhooks().replay(ACCOUNT, id, { since: ago(w, HOUR) })
    await w.pass(12 * SECOND)
    const fresh = await w.happenTimes(6)
    await w.pass(4 * SECOND)
    const seen = new Set(eventsAt(w, 'late'))
    expect(fresh.filter((event) => seen.has(event))).toHaveLength(6)
    expect(w.peak.get('late')).toBeLessThanOrEqual(4)
  })

  test('S-10 continues after a crash in the middle, and creates nothing twice', async () => {
    const w = await webhookWorld()
    const made = await w.happenTimes(1_100)
    const { id } = await w.hook('late', { max_in_flight: 64 })
    const body = { since: ago(w, HOUR) }
    const cut = w
      .webhooks()
      .replay(ACCOUNT, id, body)
      .catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    await w.crash()
    w.webhooks().start()
    await cut
    await w.webhooks().replay(ACCOUNT, id, body)
    await w.pass(5 * MINUTE)
    expect(new Set(eventsAt(w, 'late'))).toEqual(new Set(made))
    const perAttempt = w.seen.map(({ eventId, attempt }) => `${eventId} ${attempt}`)
    expect(new Set(perAttempt).size).toBe(perAttempt.length)
  })

  test(`creates at most ${LIMITS.replayAtMost} deliveries; called again it continues from there`, async () => {
    const w = await webhookWorld({ started: false })
    await w.happenTimes(LIMITS.replayAtMost + 100)
    const { id } = await w.hook('late')
    const body = { since: ago(w, HOUR) }
    expect(await w.webhooks().replay(ACCOUNT, id, body)).toEqual({ replayed: LIMITS.replayAtMost })
    expect(await w.webhooks().replay(ACCOUNT, id, body)).toEqual({ replayed: 100 })
    expect(await w.webhooks().replay(ACCOUNT, id, body)).toEqual({ replayed: 0 })
  })
})

describe('a replay is refused', () => {
  test('beyond the retention of events, and for an empty period', async () => {
    const w = await webhookWorld()
    const { id } = await w.hook('shop')
    const days = LIMITS.eventDays * DAY
    expect(await codeOf(w.webhooks().replay(ACCOUNT, id, { since: ago(w, days + SECOND) }))).toBe('validation_error')
    expect(await codeOf(w.webhooks().replay(ACCOUNT, id, { since: ago(w, days) }))).toBe('accepted')
    const since = ago(w, HOUR)
    for (const until of [since, ago(w, 2 * HOUR)]) {
      expect(await codeOf(w.webhooks().replay(ACCOUNT, id, { since, until }))).toBe('validation_error')
    }
  })

  test('for all types together with one of them', async () => {
    const w = await webhookWorld()
    const { id } = await w.hook('shop')
    const events = ['*', 'message.received'] as const
    expect(await codeOf(w.webhooks().replay(ACCOUNT, id, { since: ago(w, HOUR), events: [...events] }))).toBe(
      'validation_error',
    )
  })

  test('for a wrong period, before the state of the webhook is checked', async () => {
    const w = await webhookWorld()
    const { id } = await w.hook('shop', { active: false })
    const since = ago(w, HOUR)
    expect(await codeOf(w.webhooks().replay(ACCOUNT, id, { since, until: since }))).toBe('validation_error')
  })

  test('for a webhook that is unknown, of another account, paused or deactivated, and nothing is created', async () => {
    const w = await webhookWorld()
    await w.happenTimes(3)
    const { id } = await w.hook('shop', { active: false })
    const body = { since: ago(w, HOUR) }
    expect(await codeOf(w.webhooks().replay(STRANGER, id, body))).toBe('not_found')
    expect(await codeOf(w.webhooks().replay(ACCOUNT, "whk_' --", body))).toBe('not_found')
    expect(await codeOf(w.webhooks().replay(ACCOUNT, id, body))).toBe('invalid_state')
    w.answer({ status: 410 })
    await w.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
    await w.happen()
    await w.idle()
    expect(await codeOf(w.webhooks().replay(ACCOUNT, id, body))).toBe('invalid_state')
    expect(w.database.raw.prepare('SELECT * FROM deliveries').all()).toHaveLength(1)
  })

  test('when the webhook is paused in the middle of it: created deliveries are held', async () => {
    const w = await webhookWorld({ started: false })
    await w.happenTimes(1_200)
    const { id } = await w.hook('late')
    const code = codeOf(w.webhooks().replay(ACCOUNT, id, { since: ago(w, HOUR) }))
    await new Promise((resolve) => setImmediate(resolve))
    await w.webhooks().update(ACCOUNT, id, { active: false }, keepsAccess)
    expect(await code).toBe('invalid_state')
    const row = w.database.raw.prepare("SELECT COUNT(*) AS count FROM deliveries WHERE status = 'pending'").get()
    expect((row as { count: number }).count % 500).toBe(0)
  })
})
