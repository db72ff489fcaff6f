import { describe, expect, test } from 'vitest'
import { clockAt, HOURS as HOURS_ANSWER, lineIn } from '../capabilities/ai/ai-world.ts'
import { campaign, phonesFrom } from '../capabilities/campaigns/campaign-world.ts'
import { newHome } from '../support/restores.ts'
import { world, worldOfTest, type World } from '../support/world.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

const setClock = async (w: World, byMs: number, thenMs = 3 * SECOND) => {
  w.clock.set(w.clock.now() + byMs)
  await w.pass(thenMs)
}

async function campaignIn(w: World, more: object): Promise<string> {
  const { id } = await w.pair()
  const made = await w.api('POST', '/v1/campaigns', {
    ...{ instance_ids: [id], name: 'Offer', messages: [{ text: 'Hello' }], start: true },
    ...{ recipients: phonesFrom(3).map((phone) => ({ phone })) },
    ...{ config: { minDelay: 1, maxDelay: 1, checkNumbers: false }, ...more },
  })
  expect(made.status, made.text).toBe(201)
  return made.body.campaign_id as string
}

const scheduledIn = (w: World, ms: number) =>
  campaignIn(w, { scheduled_at: new Date(w.clock.now() + ms).toISOString() })

/** Messages are sent in the morning; it is noon. */
const MORNINGS = {
  config: {
    ...{ minDelay: 1, maxDelay: 1, checkNumbers: false },
    window: { timezone: 'UTC', start: '08:00', end: '10:00' },
  },
}

const restarted = async (w: World) => {
  await w.close()
  return worldOfTest({ home: w.home, vault: w.vault, clock: w.clock, seed: 2 })
}

/** Whatever day it is, and by UTC. */
const ONE_A_DAY = {
  config: {
    ...{ minDelay: 1, maxDelay: 1, checkNumbers: false, dailyLimit: 1 },
    window: { timezone: 'UTC', start: '00:00', end: '24:00', days: [1, 2, 3, 4, 5, 6, 7] },
  },
}

test.each([
  ['forward into the next day: a daily limit ends with the day', [13 * HOUR], 2],
  ['forward within the day: a daily limit holds', [6 * HOUR], 1],
  ['back into the day before: a day has its limit', [-13 * HOUR], 2],
  ['forward and back within a day: a daily limit holds', [6 * HOUR, -6 * HOUR], 1],
])('P-09 %s', async (_, changes, sent) => {
  const w = await worldOfTest()
  const id = await campaignIn(w, ONE_A_DAY)
  await w.pass(5 * SECOND)
  expect((await campaign(w, id)).counts.sent).toBe(1)
  for (const byMs of changes) await setClock(w, byMs, 10 * SECOND)
  const { counts, next_send_at: next } = await campaign(w, id)
  expect(counts.sent).toBe(sent)
  // The next one is sent when the day ends by this clock, or it is looked at again before.
  expect(Date.parse(next) - w.clock.now()).toBeLessThanOrEqual(DAY - (w.clock.now() % DAY))
})

const HOURS = (fromMs: number, toMs: number) => ({
  config: {
    ...{ minDelay: 1, maxDelay: 1, checkNumbers: false },
    window: { timezone: 'UTC', start: clockAt(fromMs), end: clockAt(toMs), days: [1, 2, 3, 4, 5, 6, 7] },
  },
})

test.each([
  ['that has just begun', 5 * SECOND],
  ['that has waited for a while', 25 * 60 * SECOND],
])('P-09 set forward into the sending hours: a campaign %s sends', async (_, waitMs) => {
  const w = await worldOfTest()
  const now = w.clock.now()
  const id = await campaignIn(w, HOURS(now + 5 * HOUR, now + 7 * HOUR))
  await w.pass(waitMs)
  expect(await campaign(w, id)).toMatchObject({ status: 'paused', pause_reason: 'outside_window' })
  await setClock(w, 5.5 * HOUR, 5 * SECOND)
  expect(await campaign(w, id)).toMatchObject({ pause_reason: null, next_send_at: null })
  expect((await campaign(w, id)).counts.sent).toBe(3)
})

test.each([
  ['past them', 10 * HOUR, 19 * HOUR],
  ['to a time before them', -2 * HOUR, 7 * HOUR],
  ['by a day', DAY, 5 * HOUR],
])('P-09 set %s while a campaign waits for its sending hours: shows when they begin', async (_, byMs, aheadMs) => {
  const w = await worldOfTest()
  const now = w.clock.now()
  const id = await campaignIn(w, HOURS(now + 5 * HOUR, now + 7 * HOUR))
  await setClock(w, byMs, 5 * SECOND)
  const { pause_reason: reason, next_send_at: next } = await campaign(w, id)
  expect(reason).toBe('outside_window')
  expect(Date.parse(next)).toBeCloseTo(now + byMs + aheadMs, -5)
})

test('P-09 set forward into the business hours: answers people who wrote before', async () => {
  const w = await worldOfTest()
  const line = await lineIn(w, { settings: { timezone: 'UTC' } })
  const now = w.clock.now()
  const business_hours = { start: clockAt(now + 2 * HOUR), end: clockAt(now + 6 * HOUR), days: [1, 2, 3, 4, 5, 6, 7] }
  await line.ai('PATCH', 'settings', { business_hours })
  expect(await line.ask('qual o horário?')).toEqual([])
  await setClock(w, 2.5 * HOUR, 10 * SECOND)
  expect(await line.heard()).toEqual([HOURS_ANSWER])
})

test('P-09 set back into the business hours: answers people who wrote after them', async () => {
  const w = await worldOfTest()
  const line = await lineIn(w, { settings: { timezone: 'UTC' } })
  const now = w.clock.now()
  const business_hours = { start: clockAt(now - 4 * HOUR), end: clockAt(now - HOUR), days: [1, 2, 3, 4, 5, 6, 7] }
  await line.ai('PATCH', 'settings', { business_hours })
  expect(await line.ask('qual o horário?')).toEqual([])
  await setClock(w, -2 * HOUR, 10 * SECOND)
  expect(await line.heard()).toEqual([HOURS_ANSWER])
})

test('P-09 set back to before the quiet hours: sends a follow-up that waited for their end', async () => {
  const w = await worldOfTest()
  const line = await lineIn(w, { settings: { timezone: 'UTC' } })
  const now = w.clock.now()
  const quiet_hours = { start: clockAt(now), end: clockAt(now + 8 * HOUR) }
  await line.ai('PATCH', 'follow-up', { enabled: true, delays_minutes: [30], max_followups: 1, quiet_hours })
  expect(await line.ask('qual o horário?')).toHaveLength(1)
  await line.jump(0.6 * HOUR)
  await setClock(w, -2 * HOUR, 10 * SECOND)
  expect(await line.heard()).toHaveLength(2)
})

test.each([
  ['forward within the quiet hours', HOUR],
  ['back within the quiet hours', -0.4 * HOUR],
  ['forward beyond the quiet hours', 3 * HOUR],
])('P-09 %s: sends a waiting follow-up when the quiet hours end by the new clock', async (_, byMs) => {
  const w = await worldOfTest()
  const line = await lineIn(w, { settings: { timezone: 'UTC' } })
  const now = w.clock.now()
  const endMs = Math.floor((now + 2.5 * HOUR) / MINUTE) * MINUTE
  const quiet_hours = { start: clockAt(now), end: clockAt(endMs) }
  await line.ai('PATCH', 'follow-up', { enabled: true, delays_minutes: [30], max_followups: 1, quiet_hours })
  expect(await line.ask('qual o horário?')).toHaveLength(1)
  await line.jump(0.6 * HOUR)
  await setClock(w, byMs, 10 * SECOND)
  const leftMs = endMs - w.clock.now()
  if (leftMs > 0) {
    expect(Date.parse((await line.conversation()).follow_up.due_at)).toBe(endMs)
    await line.jump(leftMs - MINUTE)
    expect(await line.heard()).toHaveLength(1)
  }
  await line.jump(2 * MINUTE)
  expect(await line.heard()).toHaveLength(2)
})

test('P-09 set forward within closed hours and back: answers when the business hours begin', async () => {
  const w = await worldOfTest()
  const line = await lineIn(w, { settings: { timezone: 'UTC' } })
  const now = w.clock.now()
  const business_hours = { start: clockAt(now + 5 * HOUR), end: clockAt(now + 9 * HOUR), days: [1, 2, 3, 4, 5, 6, 7] }
  await line.ai('PATCH', 'settings', { business_hours })
  expect(await line.ask('qual o horário?')).toEqual([])
  await setClock(w, 3 * HOUR)
  await setClock(w, -HOUR)
  await line.jump(2.8 * HOUR)
  expect(await line.heard()).toEqual([])
  await line.jump(0.3 * HOUR)
  expect(await line.heard()).toEqual([HOURS_ANSWER])
})

describe('a clock that is set forward by a year', () => {
  test.each([
    ['for seconds', 3 * SECOND],
    ['for minutes', 5 * 60 * SECOND],
  ])('P-09 and back, %s: starts a scheduled campaign at its time', async (_, ms) => {
    const w = await worldOfTest()
    const id = await scheduledIn(w, 3 * DAY)
    await setClock(w, YEAR, ms)
    await setClock(w, -YEAR, 60 * SECOND)
    expect(await campaign(w, id)).toMatchObject({ status: 'scheduled', pause_reason: null, counts: { sent: 0 } })
    w.clock.suspend(3 * DAY)
    await w.pass(60 * SECOND)
    expect((await campaign(w, id)).status).toMatch(/running|completed/)
  })

  test('P-09 and back after a restart: starts a scheduled campaign at its time', async () => {
    const w = await world({ home: newHome() })
    const id = await scheduledIn(w, 3 * DAY)
    await setClock(w, YEAR, 60 * SECOND)
    expect(await campaign(w, id)).toMatchObject({ status: 'paused', pause_reason: 'app_offline' })
    const after = await restarted(w)
    await setClock(after, -YEAR, 60 * SECOND)
    expect(await campaign(after, id)).toMatchObject({ status: 'scheduled', pause_reason: null })
  })

  test('P-09 and not back: holds a scheduled campaign for a person', async () => {
    const w = await worldOfTest()
    const id = await scheduledIn(w, 3 * DAY)
    await setClock(w, YEAR, 60 * SECOND)
    expect(await campaign(w, id)).toMatchObject({ status: 'paused', pause_reason: 'app_offline', counts: { sent: 0 } })
    await w.pass(60 * SECOND)
    expect(await campaign(w, id)).toMatchObject({ status: 'paused', pause_reason: 'app_offline' })
  })

  test('P-09 and the service restarted: does not count a running campaign as late', async () => {
    const w = await world({ home: newHome() })
    const id = await campaignIn(w, MORNINGS)
    await w.pass(3 * SECOND)
    expect(await campaign(w, id)).toMatchObject({ status: 'paused', pause_reason: 'outside_window' })
    await setClock(w, YEAR)
    const after = await restarted(w)
    expect(await campaign(after, id)).toMatchObject({ status: 'paused', pause_reason: 'outside_window' })
  })

  test('P-09 while the service is off, and back: continues a campaign that seemed late', async () => {
    const w = await world({ home: newHome() })
    const id = await campaignIn(w, { config: { minDelay: 3_600, maxDelay: 3_600, checkNumbers: false } })
    await w.pass(5 * SECOND)
    w.clock.set(w.clock.now() + YEAR)
    const after = await restarted(w)
    expect(await campaign(after, id)).toMatchObject({ status: 'paused', pause_reason: 'app_offline' })
    await setClock(after, -YEAR, 60 * SECOND)
    expect((await campaign(after, id)).status).toBe('running')
  })

  test('removes nothing for its age, also after a restart', async () => {
    const w = await world({ home: newHome() })
    const { id } = await w.pair()
    const sent = await w.api('POST', `/v1/instances/${id}/messages`, { to: phonesFrom(1)[0], text: 'Hello' })
    await w.quiet()
    const events = (await w.events()).length
    await setClock(w, YEAR)
    const after = await restarted(w)
    await after.pass(2 * HOUR)
    expect((await after.events()).length).toBeGreaterThanOrEqual(events)
    expect((await after.api('GET', `/v1/instances/${id}/messages/${sent.body.message_id}`)).status).toBe(200)
  })
})
