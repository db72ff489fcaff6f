import { afterEach, describe, expect, test } from 'vitest'
import { safetyBench, type SafetyBench } from './bench.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
/** No limit but the one a test is about. */
const WIDE = {
  ...{ safetySpacingSeconds: 0, safetyHourlyLimit: 10_000, safetyDailyLimit: 10_000, safetyWarmupDays: 0 },
  ...{ safetyFirstContacts: 10_000, safetyFirstContactsDays: 0 },
}
const rated = (rating: string) => ({ quality: { rating, messagingLimit: 'TIER_250', accountMode: 'LIVE' } })
const iso = (ms: number) => new Date(ms).toISOString()

let b: SafetyBench
const open = async (settings: Parameters<typeof safetyBench>[0] = {}) => (b = await safetyBench(settings))
afterEach(() => b.close())

/** Sends until the number has to wait. @returns how many, why and until when. */
async function sendAll(side: Parameters<SafetyBench['claim']>[0], limits = {}) {
  for (let sent = 0; ; sent++) {
    const result = await b.sendNext(side, limits)
    if (result.kind === 'granted') continue
    return { sent, reason: result.reason, until: result.untilMs === null ? null : iso(result.untilMs) }
  }
}

describe('the warm-up', () => {
  test('lets a number send more messages in each third, then up to its limit', async () => {
    await open({ ...WIDE, safetyWarmupDays: 10, safetyWarmupLimits: [2, 4, 6], safetyDailyLimit: 8 })
    const side = await b.pair()
    const sent: number[] = []
    for (let day = 0; day < 11; day++) {
      const all = await sendAll(side)
      expect(all.reason).toBe('daily_limit')
      expect(all.until).toBe(`2026-01-${String(6 + day).padStart(2, '0')}T00:00:00.000Z`)
      sent.push(all.sent)
      b.room.clock.suspend(DAY)
    }
    expect(sent).toEqual([2, 2, 2, 2, 4, 4, 4, 6, 6, 6, 8])
  })

  test('lets it write to more new people each day, and to known ones meanwhile', async () => {
    await open({ ...WIDE, safetyFirstContacts: 26, safetyFirstContactsDays: 3 })
    const side = await b.pair()
    const sent: number[] = []
    for (let day = 0; day < 5; day++) {
      const all = await sendAll(side)
      expect(all.reason).toBe('first_contacts_limit')
      expect(await b.claim(side, '12025560001')).toEqual({ kind: 'granted' })
      await b.release(side, '12025560001')
      sent.push(all.sent)
      b.room.clock.suspend(DAY)
    }
    expect(sent).toEqual([20, 22, 24, 26, 26])
  })

  test('starts again with another number, and not with the same one', async () => {
    await open()
    const side = await b.pair('12025550100')
    const { instances, clock } = b.room
    const pair = async (number: string) => {
      await instances.disconnect(side.id, true)
      await instances.restart(side.id)
      await instances.onSignal(side.id, { kind: 'connected', number, name: null })
    }
    const ages: (number | null)[] = []
    for (const number of ['12025550100', '12025550199', '12025550199', '12025550100']) {
      clock.suspend(2 * DAY)
      await pair(number)
      ages.push((await b.state(side)).pairedDays)
    }
    expect(ages).toEqual([2, 0, 2, 8])
    expect((await b.state(side)).today.limit).toBe(500)
  })

  test('counts people as new whom another number of the instance knew', async () => {
    await open()
    const side = await b.pair('12025550100')
    await b.receive(side, '12025550177')
    const isNew = async () => (await b.safety.isCold(b.room.database.db, side.id, ['12025550177'])).size === 1
    expect(await isNew()).toBe(false)
    await b.room.instances.onSignal(side.id, { kind: 'connected', number: '12025550199', name: null })
    expect(await isNew()).toBe(true)
    await b.room.instances.onSignal(side.id, { kind: 'connected', number: '12025550100', name: null })
    expect(await isNew()).toBe(false)
  })

  test('is shown with its limits, and until when', async () => {
    await open()
    const side = await b.pair()
    const state = await b.state(side)
    expect(state).toMatchObject({ pairedDays: 0, today: { sent: 0, limit: 50, firstContactsLimit: 20 } })
    expect(state.reasons).toEqual([
      {
        code: 'warm_up',
        message: expect.stringContaining('at most 50 messages a day'),
        untilMs: b.room.clock.now() + 10 * DAY,
      },
    ])
    b.room.clock.suspend(10 * DAY)
    expect(await b.state(side)).toMatchObject({ pairedDays: 10, today: { limit: 1_000 }, reasons: [] })
  })
})

describe('a day and an hour', () => {
  test('start by the clocks of the time zone', async () => {
    await open({ ...WIDE, safetyDailyLimit: 3, safetyTimezone: 'America/Sao_Paulo' })
    const side = await b.pair()
    b.room.clock.suspend(Date.parse('2026-01-06T02:00:00Z') - b.room.clock.now())
    expect(await sendAll(side)).toEqual({ sent: 3, reason: 'daily_limit', until: '2026-01-06T03:00:00.000Z' })
    b.room.clock.suspend(Date.parse('2026-01-06T02:59:59.999Z') - b.room.clock.now())
    expect((await sendAll(side)).sent).toBe(0)
    b.room.clock.suspend(Date.parse('2026-01-06T03:00:00Z') - b.room.clock.now())
    expect((await sendAll(side)).sent).toBe(3)
  })

  test.each([
    ['spring', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z', '2026-03-29T22:00:00.000Z'],
    ['autumn', '2026-10-24T22:00:00Z', '2026-10-25T22:59:59Z', '2026-10-25T23:00:00.000Z'],
  ])('count the day on which Berlin changes its clocks in %s as one day', async (_season, first, last, end) => {
    await open({ ...WIDE, safetyDailyLimit: 2, safetyTimezone: 'Europe/Berlin' })
    const side = await b.pair()
    b.room.clock.suspend(Date.parse(first) - b.room.clock.now())
    expect((await sendAll(side)).until).toBe(end)
    b.room.clock.suspend(Date.parse(last) - b.room.clock.now())
    expect(await sendAll(side)).toEqual({ sent: 0, reason: 'daily_limit', until: end })
    b.room.clock.suspend(Date.parse(end) - b.room.clock.now())
    expect((await sendAll(side)).sent).toBe(2)
  })

  test('start at one o’clock if midnight was skipped', async () => {
    await open({ ...WIDE, safetyDailyLimit: 2, safetyTimezone: 'America/Sao_Paulo' })
    b.room.clock.suspend(Date.parse('2018-11-04T02:59:00Z') - b.room.clock.now())
    const side = await b.pair()
    expect((await sendAll(side)).until).toBe('2018-11-04T03:00:00.000Z')
    b.room.clock.suspend(Date.parse('2018-11-04T03:00:00Z') - b.room.clock.now())
    expect(await sendAll(side)).toEqual({ sent: 2, reason: 'daily_limit', until: '2018-11-05T02:00:00.000Z' })
  })

  test('that are full make messages wait for the next one', async () => {
    await open({ ...WIDE, safetyHourlyLimit: 4 })
    const side = await b.pair()
    b.room.clock.suspend(Date.parse('2026-01-05T12:50:00Z') - b.room.clock.now())
    expect(await sendAll(side)).toEqual({ sent: 4, reason: 'hourly_limit', until: '2026-01-05T13:00:00.000Z' })
    expect((await b.state(side)).hour).toEqual({ sent: 4, limit: 4, endsAtMs: Date.parse('2026-01-05T13:00:00Z') })
    b.room.clock.suspend(Date.parse('2026-01-05T13:00:00Z') - b.room.clock.now())
    expect((await b.state(side)).hour.sent).toBe(0)
    expect((await sendAll(side)).sent).toBe(4)
  })

  test('survive a restart and a change of the time zone', async () => {
    await open({ ...WIDE, safetyDailyLimit: 5 })
    const side = await b.pair()
    await sendAll(side)
    b.restart()
    expect(await b.state(side)).toMatchObject({ today: { sent: 5, firstContacts: 5 } })
    expect(await b.claim(side, '12025550188')).toMatchObject({ kind: 'wait', reason: 'daily_limit' })
    b.config.safetyTimezone = 'Pacific/Auckland'
    expect(await b.claim(side, '12025550188')).toMatchObject({ untilMs: Date.parse('2026-01-06T11:00:00Z') })
    b.config.safetyTimezone = 'Asia/Tokyo'
    b.room.clock.suspend(Date.parse('2026-01-05T15:00:00Z') - b.room.clock.now())
    expect((await b.state(side)).today.sent).toBe(0)
  })
})

test('what a number may send on the days to come follows its warm-up', async () => {
  await open({ safetyDailyLimit: 1_000, safetyWarmupDays: 30, safetyWarmupLimits: [50, 200, 500] })
  const side = await b.pair()
  const left = (await b.safety.remaining([side.id])).get(side.id)
  expect([0, 9, 10, 19, 20, 29, 30, 400].map((days) => left?.limitIn(days))).toEqual([
    50, 50, 200, 200, 500, 500, 1_000, 1_000,
  ])
})

describe('a claim', () => {
  test('waits for the shortest time between two messages', async () => {
    await open()
    const side = await b.pair()
    const startMs = b.room.clock.now()
    expect(await b.claim(side, '12025550101')).toEqual({ kind: 'granted' })
    expect(await b.claim(side, '12025550102')).toEqual({ kind: 'wait', reason: 'spacing', untilMs: startMs + 5_000 })
    b.room.clock.suspend(startMs + 5_000 - b.room.clock.now())
    expect(await b.claim(side, '12025550102')).toEqual({ kind: 'granted' })
  })

  test('reserves its message until that is accepted, it is given back, or ten minutes are over', async () => {
    await open({ ...WIDE, safetyDailyLimit: 3 })
    const side = await b.pair()
    const claim = async (phone: string) => (await b.claim(side, phone)).kind
    const left = async () => (await b.safety.remaining([side.id])).get(side.id)?.today
    for (const phone of ['12025550101', '12025550102', '12025550103']) expect(await claim(phone)).toBe('granted')
    expect([await claim('12025550104'), await left()]).toEqual(['wait', 0])
    await b.send(side, '12025550101')
    expect([await claim('12025550104'), await left()]).toEqual(['wait', 0])
    await b.release(side, '12025550102')
    expect(await left()).toBe(1)
    b.room.clock.suspend(10 * MINUTE)
    expect(await left()).toBe(2)
    expect((await b.state(side)).today).toMatchObject({ sent: 1, firstContacts: 1 })
  })

  test('is reduced by the limits of the caller, and never increased', async () => {
    await open({ ...WIDE, safetyDailyLimit: 6, safetyHourlyLimit: 4 })
    const side = await b.pair()
    expect(await sendAll(side, { hourlyLimit: 2 })).toMatchObject({ sent: 2, reason: 'hourly_limit' })
    expect(await sendAll(side, { dailyLimit: 3 })).toMatchObject({ sent: 1, reason: 'daily_limit' })
    expect(await sendAll(side, { hourlyLimit: 100, dailyLimit: null })).toMatchObject({
      sent: 1,
      reason: 'hourly_limit',
    })
  })

  test('counts messages sent over the API, which are not limited', async () => {
    await open({ ...WIDE, safetyDailyLimit: 3 })
    const side = await b.pair()
    for (let i = 0; i < 5; i++) await b.send(side, '12025550101')
    expect((await b.state(side)).today).toMatchObject({ sent: 5, limit: 3, firstContacts: 1 })
    expect(await b.claim(side, '12025550101')).toMatchObject({ kind: 'wait', reason: 'daily_limit' })
    const left = (await b.safety.remaining([side.id])).get(side.id)
    expect([left?.today, left?.limitIn(1)]).toEqual([0, 3])
  })

  test('for a deleted instance is refused, and leaves nothing', async () => {
    await open()
    const side = await b.pair()
    await b.sendNext(side)
    b.room.clock.suspend(MINUTE)
    await b.claim(side, '12025550101')
    await b.room.instances.remove(side.id)
    const { db, raw } = b.room.database
    const claim = { accountId: b.room.accountId, instanceId: side.id, phone: '1', cold: true, atMs: 0, limits: {} }
    expect(await db.commit((tx) => b.safety.claim(tx, claim))).toMatchObject({
      kind: 'refused',
      reason: 'instance_deleted',
    })
    for (const table of ['numbers', 'counts', 'firsts', 'claims'])
      expect(raw.prepare(`SELECT * FROM safety_${table}`).all(), table).toEqual([])
  })

  test('in the sandbox is limited only by the caller’s limits', async () => {
    await open()
    const side = await b.pair('12025550100', { network: 'sandbox' })
    for (let i = 0; i < 60; i++) expect(await b.sendNext(side)).toEqual({ kind: 'granted' })
    expect(await b.sendNext(side, { hourlyLimit: 60 })).toMatchObject({ kind: 'wait', reason: 'hourly_limit' })
    expect(await b.state(side)).toMatchObject({
      today: { sent: 60, limit: null, firstContacts: 60, firstContactsLimit: null },
      hour: { sent: 60, limit: null },
      reasons: [],
    })
  })
})

describe('people', () => {
  test('are new until a message was exchanged with them, in either direction and in any spelling of the number', async () => {
    await open()
    const side = await b.pair()
    await b.send(side, '12025550101')
    await b.receive(side, '12025550102')
    await b.send(side, '12025550103', 'failed')
    await b.receive(side, '551187654321')
    const phones = ['12025550101', '12025550102', '12025550103', '12025550104', '5511987654321']
    expect([...(await b.safety.isCold(b.room.database.db, side.id, phones))]).toEqual(['12025550103', '12025550104'])
  })

  test('are looked up in hundreds', async () => {
    await open()
    const side = await b.pair()
    const phones = Array.from({ length: 300 }, (_, i) => `1202557${String(i).padStart(4, '0')}`)
    for (const phone of phones.slice(0, 100)) await b.receive(side, phone)
    const cold = await b.room.database.db.commit((tx) => b.safety.isCold(tx, side.id, phones))
    expect([...cold]).toEqual(phones.slice(100))
  })

  test('in a group are never first contacts', async () => {
    await open()
    const side = await b.pair()
    await b.send(side, '120363000000000000@g.us')
    expect((await b.state(side)).today).toMatchObject({ sent: 1, firstContacts: 0 })
  })
})

describe('reports of the network', () => {
  test('that restrict the number stop messages to new people until they end, and not to known ones', async () => {
    await open(WIDE)
    const side = await b.pair()
    await b.receive(side, '12025550101')
    const untilMs = b.room.clock.now() + HOUR
    b.says({ restriction: { kind: 'reachout', untilMs, sinceMs: b.room.clock.now() } })
    expect(await b.claim(side, '12025550102')).toEqual({ kind: 'refused', reason: 'restricted', untilMs })
    expect(await b.claim(side, '12025550101')).toEqual({ kind: 'granted' })
    const { restriction, reasons } = await b.state(side)
    expect(restriction).toEqual({ kind: 'reachout', untilMs })
    expect(reasons).toEqual([{ code: 'restricted', message: expect.stringContaining('new chats'), untilMs }])
    b.room.clock.suspend(untilMs - b.room.clock.now())
    expect(await b.claim(side, '12025550102')).toEqual({ kind: 'granted' })
    expect(await b.state(side)).toMatchObject({ restriction: null, reasons: [] })
  })

  test('of used-up new chats stop messages to new people until the cycle ends', async () => {
    await open(WIDE)
    const side = await b.pair()
    await b.receive(side, '12025550101')
    const untilMs = b.room.clock.now() + 30 * HOUR
    b.says({
      newChats: { used: 5, limit: 5, endsAtMs: untilMs },
      restriction: { kind: 'new_chats_used_up', untilMs, sinceMs: b.room.clock.now() },
    })
    const reason = 'new_chats_used_up'
    expect(await b.claim(side, '12025550102')).toEqual({ kind: 'refused', reason, untilMs })
    expect(await b.claim(side, '12025550101')).toEqual({ kind: 'granted' })
    expect(await b.state(side)).toMatchObject({
      newChats: { used: 5, limit: 5, endsAtMs: untilMs },
      reasons: [{ code: reason, untilMs }],
    })
    expect((await b.safety.remaining([side.id])).get(side.id)?.firstContacts).toBe(0)
  })

  test('count granted new chats that are not started yet', async () => {
    await open(WIDE)
    const side = await b.pair()
    const endsAtMs = b.room.clock.now() + 30 * HOUR
    b.says({ newChats: { used: 3, limit: 5, endsAtMs } })
    expect((await b.safety.remaining([side.id])).get(side.id)?.firstContacts).toBe(2)
    expect(await b.claim(side, '12025550102')).toEqual({ kind: 'granted' })
    expect(await b.claim(side, '12025550103')).toEqual({ kind: 'granted' })
    const untilMs = b.room.clock.now() + MINUTE
    expect(await b.claim(side, '12025550104')).toEqual({ kind: 'refused', reason: 'new_chats_used_up', untilMs })
    await b.release(side, '12025550103')
    expect(await b.claim(side, '12025550104')).toEqual({ kind: 'granted' })
  })

  test('of a temporary ban stop all messages until it ends', async () => {
    await open(WIDE)
    const side = await b.pair()
    const untilMs = b.room.clock.now() + HOUR
    await b.room.instances.onSignal(side.id, { kind: 'auth_failed', reason: 'temporary_ban', code: 402, untilMs })
    await b.receive(side, '12025550101')
    expect(await b.claim(side, '12025550101')).toEqual({ kind: 'refused', reason: 'banned', untilMs })
    expect(await b.state(side)).toMatchObject({ restriction: { kind: 'temporary_ban', untilMs } })
    b.room.clock.suspend(untilMs - b.room.clock.now())
    expect(await b.codes(side)).toEqual([])
  })

  test('of a permanent ban stop all messages', async () => {
    await open(WIDE)
    const side = await b.pair()
    await b.room.instances.onSignal(side.id, { kind: 'auth_failed', reason: 'banned', code: 403, untilMs: null })
    expect(await b.claim(side, '12025550101')).toEqual({ kind: 'refused', reason: 'banned', untilMs: null })
  })

  test('with code 131048 stop the number for an hour', async () => {
    await open(WIDE)
    const side = await b.pair('12025550100', { engine: 'official' })
    await b.receive(side, '12025550101')
    await b.refused(side, 131_048)
    expect(await b.claim(side, '12025550101')).toMatchObject({ kind: 'wait', reason: 'spam_limited' })
    b.room.clock.suspend(HOUR + 15 * MINUTE)
    expect(await b.claim(side, '12025550101')).toEqual({ kind: 'granted' })
  })

  test('with code 131049 stop new chats once they are a tenth of the messages, and at least five', async () => {
    await open(WIDE)
    const side = await b.pair('12025550100', { engine: 'official' })
    for (let i = 0; i < 51; i++) await b.sendNext(side)
    for (let i = 0; i < 5; i++) await b.refused(side, 131_049)
    expect(await b.sendNext(side)).toEqual({ kind: 'granted' })
    await b.refused(side, 131_049)
    expect(await b.sendNext(side)).toMatchObject({ kind: 'wait', reason: 'messages_withheld' })
    expect((await b.state(side)).reasons[0]?.message).toContain('12%')
    await b.refused(side, 131_026)
    b.room.clock.suspend(DAY + 15 * MINUTE)
    expect(await b.sendNext(side)).toEqual({ kind: 'granted' })
  })

  test('of a low rating stop new chats; a medium rating is shown and changes no limit', async () => {
    await open(WIDE)
    const side = await b.pair('12025550100', { engine: 'official' })
    await b.receive(side, '12025550101')
    b.belongs(side, 'one', 'TIER_250')
    b.says(rated('RED'))
    expect(await b.sendNext(side)).toMatchObject({ kind: 'wait', reason: 'quality_low' })
    expect(await b.claim(side, '12025550101')).toEqual({ kind: 'granted' })
    b.says(rated('YELLOW'))
    expect(await b.state(side)).toMatchObject({ today: { firstContactsLimit: 250 } })
    expect(await b.codes(side)).toEqual(['quality_medium'])
  })

  test('of a restriction of replies stop all messages', async () => {
    await open(WIDE)
    const side = await b.pair('12025550100', { engine: 'official' })
    await b.receive(side, '12025550101')
    const [sinceMs, untilMs] = [b.room.clock.now(), b.room.clock.now() + HOUR]
    b.says({ restriction: { kind: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING', sinceMs, untilMs, stops: 'replies' } })
    expect(await b.claim(side, '12025550101')).toEqual({ kind: 'refused', reason: 'replies_restricted', untilMs })
  })
})

test('rows that no budget uses are removed, and no others', async () => {
  await open(WIDE)
  const side = await b.pair()
  const { raw } = b.room.database
  const rows = () =>
    ['counts', 'firsts', 'claims'].map((table) => raw.prepare(`SELECT * FROM safety_${table}`).all().length)
  await b.sendNext(side)
  raw.exec(`INSERT INTO safety_firsts WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 599)
    SELECT instance_id, message_seq + 1000 + i, quarter, 1, 0 FROM safety_firsts, n`)
  await b.claim(side, '12025550101')
  b.room.clock.suspend(51 * HOUR)
  await b.prune()
  expect(rows()).toEqual([1, 600, 1])
  b.room.clock.suspend(2 * HOUR)
  await b.send(side, '12025550102')
  await b.prune()
  expect(rows()).toEqual([1, 1, 0])
  expect((await b.state(side)).today.sent).toBe(1)
})

describe('the overview', () => {
  const lines = (network: 'live' | 'sandbox' | null = null) =>
    b.safety.attention({ accountId: b.room.accountId, role: 'member', network })

  test('names restricted numbers until the restriction ends, one by its name', async () => {
    await open()
    const one = await b.pair('12025550100', { name: 'Front desk' })
    expect(await lines()).toEqual([])
    const [sinceMs, untilMs] = [b.room.clock.now() - HOUR, b.room.clock.now() + HOUR]
    b.says({ restriction: { kind: 'reachout', untilMs, sinceMs } })
    const line = { code: 'restricted', severity: 'warning', sinceMs, text: null, facts: { kind: 'reachout', untilMs } }
    const subject = { id: one.id, name: 'Front desk' }
    expect(await lines()).toEqual([{ ...line, count: 1, subject, ids: [one.id] }])
    const other = await b.pair('12025550101')
    expect(await lines('live')).toEqual([{ ...line, count: 2, subject: null, ids: [one.id, other.id] }])
    expect(await lines('sandbox')).toEqual([])
    b.room.clock.suspend(untilMs - b.room.clock.now())
    expect(await lines()).toEqual([])
  })

  test('leaves banned numbers to the instances room', async () => {
    await open()
    const side = await b.pair()
    const untilMs = b.room.clock.now() + HOUR
    b.says({ restriction: { kind: 'reachout', untilMs, sinceMs: b.room.clock.now() } })
    await b.room.instances.onSignal(side.id, { kind: 'auth_failed', reason: 'temporary_ban', code: 402, untilMs })
    expect(await lines()).toEqual([])
    expect(await b.room.instances.attention({ accountId: b.room.accountId, role: null, network: null })).toHaveLength(1)
  })
})
