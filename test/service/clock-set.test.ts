import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { phonesFrom } from '../capabilities/campaigns/campaign-world.ts'
import { fakeClock } from '../support/clock.ts'
import { tempFolder } from '../support/database.ts'
import { world, type World } from '../support/world.ts'

const SECOND = 1_000
const HOUR = 3_600_000
const DAY = 24 * HOUR
const DECADES = 12 * 365 * DAY

const PHONES = phonesFrom(6)

/** A campaign that sends to six people, so many seconds apart. */
async function startCampaign(w: World, seconds = 10, more: object = {}): Promise<string> {
  const { id } = await w.pair()
  const made = await w.api('POST', '/v1/campaigns', {
    ...{
      instance_ids: [id],
      name: 'Offer',
      messages: [{ text: 'Hello' }],
      recipients: PHONES.map((phone) => ({ phone })),
    },
    ...{ config: { minDelay: seconds, maxDelay: seconds, checkNumbers: false }, start: true, ...more },
  })
  expect(made.status, made.text).toBe(201)
  return made.body.campaign_id as string
}

/** The service looks at the clock once a second. */
async function setClock(w: World, byMs: number): Promise<void> {
  w.clock.set(w.clock.now() + byMs)
  await w.clock.advance(SECOND)
}

const sentOf = async (w: World, campaign: string): Promise<number> => {
  const [row] = await w.rows<{ n: number }>(
    `SELECT COUNT(*) AS n FROM campaign_recipients WHERE campaign_id = :campaign AND claimed_at IS NOT NULL`,
    { campaign },
  )
  return row?.n ?? 0
}

describe.each([
  ['an hour back', -HOUR],
  ['a day back', -DAY],
  ['an hour forward', HOUR],
  ['three days forward', 3 * DAY],
])('a clock that is set %s', (_, byMs) => {
  test('P-09 while a campaign runs: keeps the campaign’s pace', async () => {
    const w = await world()
    const campaign = await startCampaign(w)
    await w.pass(5 * SECOND)
    const before = await sentOf(w, campaign)
    await setClock(w, byMs)
    await w.pass(4 * SECOND)
    expect(await sentOf(w, campaign)).toBeLessThanOrEqual(before + 1)
    await w.pass(60 * SECOND)
    expect((await w.api('GET', `/v1/campaigns/${campaign}`)).body).toMatchObject({ status: 'completed' })
    expect(await sentOf(w, campaign)).toBe(PHONES.length)
  })

  test('P-09 while messages are delayed: sends them after their delay', async () => {
    const w = await world({ settings: { sandboxTimelineMs: [0, 0, 20 * SECOND, 30 * SECOND] } })
    const { id } = await w.pair()
    const sent = await w.api('POST', `/v1/instances/${id}/messages`, { to: PHONES[0], text: 'Hello' })
    expect(sent.status, sent.text).toBe(201)
    await setClock(w, byMs)
    await w.pass(90 * SECOND)
    const { body } = await w.api('GET', `/v1/instances/${id}/messages/${sent.body.message_id}`)
    expect(body.status).toMatch(/delivered|read/)
  })

  test('keeps the expiry of a QR code on screen', async () => {
    const w = await world()
    const { id } = await w.instance()
    const leftMs = async () =>
      Date.parse((await w.api('GET', `/v1/instances/${id}/qr`)).body.expires_at) - w.clock.now()
    expect(await leftMs()).toBe(60 * SECOND)
    await setClock(w, byMs)
    await w.quiet()
    expect(await leftMs()).toBe(59 * SECOND)
  })

  test('P-09 an Idempotency-Key stays valid for 24 hours', async () => {
    const w = await world()
    const { id } = await w.pair()
    const send = () =>
      w.api(
        'POST',
        `/v1/instances/${id}/messages`,
        { to: PHONES[0], text: 'Hello' },
        { headers: { 'idempotency-key': 'k' } },
      )
    const first = await send()
    await setClock(w, byMs)
    await w.pass(2 * SECOND)
    w.clock.suspend(23 * HOUR)
    const repeat = await send()
    expect(repeat.headers['idempotent-replayed']).toBe('true')
    expect(repeat.body).toEqual(first.body)
    w.clock.suspend(HOUR + SECOND)
    expect((await send()).body.message_id).not.toBe(first.body.message_id)
  })
})

test('a clock that is set decades forward and back causes no loss and no send', async () => {
  const w = await world()
  const campaign = await startCampaign(w, 3_600)
  await w.pass(5 * SECOND)
  const before = await sentOf(w, campaign)
  const events = await w.events()
  await setClock(w, DECADES)
  await w.pass(30 * SECOND)
  expect(await sentOf(w, campaign)).toBe(before)
  // Whoever has a key still gets in.
  expect((await w.api('GET', '/v1/instances')).status).toBe(200)
  // Housekeeping comes every hour and must take nothing for old.
  await w.pass(100 * SECOND)
  expect((await w.events()).slice(0, events.length)).toEqual(events)
  await setClock(w, -DECADES)
  await w.pass(30 * SECOND)
  expect((await w.events()).slice(0, events.length)).toEqual(events)
  expect(await sentOf(w, campaign)).toBe(before)
  w.clock.suspend(HOUR)
  await w.pass(30 * SECOND)
  expect(await sentOf(w, campaign)).toBe(before + 1)
})

test('P-09 a clock set back while the service was down does not delay waiting work', async () => {
  const home = tempFolder()
  const clock = fakeClock()
  const first = await world({ home, clock })
  const campaign = await startCampaign(first)
  await first.pass(5 * SECOND)
  const before = await sentOf(first, campaign)
  await first.close()
  clock.set(clock.now() - DAY)
  const second = await world({ home, clock, seed: 2 })
  await second.pass(90 * SECOND)
  expect(await sentOf(second, campaign)).toBe(PHONES.length)
  expect(before).toBeLessThan(PHONES.length)
})

test('a scheduled campaign starts at its date and time', async () => {
  const w = await world()
  const at = w.clock.now() + 2 * HOUR
  const campaign = await startCampaign(w, 10, { scheduled_at: new Date(at).toISOString() })
  await setClock(w, -HOUR)
  await w.pass(2 * SECOND)
  w.clock.suspend(2 * HOUR)
  await w.pass(10 * SECOND)
  expect((await w.api('GET', `/v1/campaigns/${campaign}`)).body.status).toBe('scheduled')
  w.clock.suspend(HOUR)
  await w.pass(30 * SECOND)
  expect((await w.api('GET', `/v1/campaigns/${campaign}`)).body.status).toMatch(/running|completed/)
})

test('moves due times once for two starts in a row', async () => {
  const home = tempFolder()
  const clock = fakeClock()
  const first = await world({ home, clock })
  await startCampaign(first, 3_600)
  await first.pass(5 * SECOND)
  await first.close()
  const due = () => {
    const raw = new Database(join(home, 'switchboard.db'), { readonly: true })
    const row = raw.prepare('SELECT next_at AS at FROM campaign_instances').get() as { at: number }
    raw.close()
    return row.at
  }
  const before = due()
  clock.set(clock.now() - DAY)
  const times: number[] = []
  for (const seed of [2, 3]) {
    const next = await world({ home, clock, seed })
    times.push(due())
    await next.close()
  }
  // The wait is as long as it was when the service stopped; stopping takes a while.
  expect(times[0]).toBeGreaterThanOrEqual(before - DAY)
  expect(times[0]).toBeLessThan(before - DAY + HOUR)
  expect(times[1]).toBe(times[0])
})
