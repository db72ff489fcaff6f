import { afterEach, describe, expect, test } from 'vitest'
import { peopleReached } from '../../../main/capabilities/safety/reached.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { seededRandom } from '../../support/random.ts'
import { safetyBench, type SafetyBench } from './bench.ts'

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000]
const ANA = '12025550101'

let b: SafetyBench
afterEach(() => b.close())
const open = async () => (b = await safetyBench())
const official = (number: string) => b.pair(number, { engine: 'official' })
const stranger = (index: number) => `1202557${String(index).padStart(4, '0')}`
const pass = (ms: number) => b.room.clock.suspend(ms)
const used = async (side: { id: InstanceId }) => (await b.state(side)).messagingLimit?.used

/** Two numbers of one portfolio that may reach this many people, and one of another. */
async function threeNumbers(tier = 'TIER_3') {
  await open()
  const [one, other, third] = [
    await official('12025550100'),
    await official('12025550200'),
    await official('12025550300'),
  ]
  b.belongs(one, 'A', tier)
  b.belongs(other, 'A', tier)
  b.belongs(third, 'B', tier)
  return { one, other, third }
}

describe('the messaging limit of a portfolio', () => {
  test('is one budget for all its numbers, and not for those of another', async () => {
    const { one, other, third } = await threeNumbers()
    for (const [side, person] of [
      [one, 1],
      [other, 2],
      [one, 3],
    ] as const) {
      expect(await b.claim(side, stranger(person))).toEqual({ kind: 'granted' })
      await b.send(side, stranger(person))
    }
    for (const side of [one, other])
      expect(await b.claim(side, stranger(4))).toEqual({
        ...{ kind: 'wait', reason: 'messaging_limit', untilMs: Date.parse('2026-01-06T12:01:00Z') },
      })
    expect(await b.claim(third, stranger(4))).toEqual({ kind: 'granted' })
    for (const side of [one, other]) {
      expect((await b.state(side)).messagingLimit).toEqual({
        ...{ tier: 'TIER_3', limit: 3, used: 3, portfolioId: 'A', source: 'number', atMs: b.room.clock.now() },
      })
      expect(await b.state(side)).toMatchObject({
        today: { firstContacts: 3, firstContactsLimit: 3 },
        reasons: [{ code: 'messaging_limit', untilMs: Date.parse('2026-01-06T12:01:00Z') }],
      })
    }
  })

  test('counts people and not messages, whichever number writes to them', async () => {
    const { one, other } = await threeNumbers()
    for (let i = 0; i < 5; i++) await b.send(i % 2 ? one : other, stranger(1))
    expect(await used(one)).toBe(1)
    await b.send(one, '5511912345678')
    await b.send(other, '551112345678')
    await b.send(other, '5511812345678')
    expect(await used(one)).toBe(4)
  })

  test('takes two spellings of a number for one person', async () => {
    const { one, other } = await threeNumbers()
    await b.send(one, '5215512345678')
    await b.send(other, '525512345678')
    expect(await used(one)).toBe(1)
  })

  test('does not count people who wrote to the number in the last 24 hours, and never delays messages to them', async () => {
    const { one, other } = await threeNumbers()
    await b.receive(one, ANA)
    await b.send(one, ANA)
    expect(await used(one)).toBe(0)
    for (let i = 1; i <= 3; i++) await b.send(one, stranger(i))
    expect(await b.claim(one, ANA)).toEqual({ kind: 'granted' })
    // The window is that of the number they wrote to.
    expect(await b.claim(other, ANA)).toMatchObject({ kind: 'wait', reason: 'messaging_limit' })
    pass(DAY)
    await b.send(one, ANA)
    expect(await used(one)).toBe(1)
  })

  test('allows further messages to people who already count', async () => {
    const { one, other } = await threeNumbers()
    for (let i = 1; i <= 3; i++) await b.send(one, stranger(i))
    expect(await b.claim(other, stranger(2))).toEqual({ kind: 'granted' })
  })

  test('counts a person until 24 hours after the last message', async () => {
    const { one, other } = await threeNumbers()
    await b.send(one, stranger(1))
    pass(20 * HOUR)
    await b.send(other, stranger(1))
    pass(20 * HOUR)
    expect(await used(one)).toBe(1)
    pass(4 * HOUR - 1)
    expect(await used(one)).toBe(1)
    pass(1)
    expect(await used(one)).toBe(0)
  })

  test('is restored when people leave the 24 hours, to the second', async () => {
    const { one } = await threeNumbers()
    for (let i = 1; i <= 3; i++) {
      await b.send(one, stranger(i))
      pass(10 * SECOND)
    }
    pass(DAY - 30 * SECOND - 1)
    expect(await b.claim(one, stranger(4))).toMatchObject({ kind: 'wait' })
    pass(1)
    expect(await b.claim(one, stranger(4))).toEqual({ kind: 'granted' })
    expect(await b.claim(one, stranger(5))).toMatchObject({ kind: 'wait' })
    pass(10 * SECOND)
    expect(await b.claim(one, stranger(5))).toEqual({ kind: 'granted' })
  })

  test('says when it will be restored, also after it has been lowered', async () => {
    const { one } = await threeNumbers('TIER_5')
    for (let i = 1; i <= 5; i++) {
      await b.send(one, stranger(i))
      pass(HOUR)
    }
    b.belongs(one, 'A', 'TIER_2')
    const untilMs = Date.parse('2026-01-06T15:01:00Z')
    expect(await b.claim(one, stranger(6))).toMatchObject({ kind: 'wait', untilMs })
    pass(untilMs - b.room.clock.now())
    expect(await b.claim(one, stranger(6))).toEqual({ kind: 'granted' })
  })

  test('counts granted messages that are not sent yet, once per person', async () => {
    const { one, other } = await threeNumbers()
    for (const [side, person] of [
      [one, 1],
      [other, 1],
      [other, 2],
      [one, 3],
    ] as const)
      expect(await b.claim(side, stranger(person))).toEqual({ kind: 'granted' })
    expect(await b.claim(other, stranger(4))).toMatchObject({ kind: 'wait', reason: 'messaging_limit' })
    await b.release(one, stranger(1))
    expect(await b.claim(other, stranger(4))).toMatchObject({ kind: 'wait' })
    await b.release(other, stranger(1))
    expect(await b.claim(other, stranger(4))).toEqual({ kind: 'granted' })
  })

  test('does not count a message that was not delivered', async () => {
    const { one, other } = await threeNumbers()
    await b.send(one, stranger(1))
    pass(MINUTE)
    await b.send(other, stranger(1))
    await b.undelivered(other)
    expect(await used(one)).toBe(1)
    pass(DAY - MINUTE)
    expect(await used(one)).toBe(0)
    await b.send(one, stranger(2))
    await b.undelivered(one)
    await b.undelivered(one)
    expect(await used(one)).toBe(0)
  })

  test('applies immediately when it changes', async () => {
    const { one, other } = await threeNumbers()
    for (let i = 1; i <= 3; i++) await b.send(one, stranger(i))
    b.belongs(other, 'A', 'TIER_2K')
    expect(await b.claim(other, stranger(4))).toEqual({ kind: 'granted' })
    b.belongs(other, 'A', 'TIER_UNLIMITED')
    expect(await b.state(other)).toMatchObject({ messagingLimit: { limit: null, used: 3, tier: 'TIER_UNLIMITED' } })
  })

  test('that Meta does not report is the last known one, or that of a new business, and is shown as unknown', async () => {
    const { one } = await threeNumbers()
    b.belongs(one, 'A', 'TIER_3', 'last_known')
    expect(await b.state(one)).toMatchObject({
      messagingLimit: { tier: null, limit: 3, source: 'last_known' },
      reasons: [{ code: 'messaging_limit_unknown' }],
    })
    for (let i = 1; i <= 3; i++) await b.send(one, stranger(i))
    expect(await b.claim(one, stranger(4))).toMatchObject({ kind: 'wait', reason: 'messaging_limit' })
    b.belongs(one, 'A', null)
    expect((await b.state(one)).messagingLimit).toMatchObject({ tier: null, limit: 250, source: 'default', atMs: null })
  })

  test('does not exist for a sandbox number or a linked phone', async () => {
    await open()
    const phone = await b.pair('12025550400')
    const sandbox = await b.pair('12025550500', { engine: 'official', network: 'sandbox' })
    for (const side of [phone, sandbox]) {
      await b.send(side, stranger(1))
      expect((await b.state(side)).messagingLimit).toBeNull()
    }
    expect(b.room.database.raw.prepare('SELECT * FROM safety_reached').all()).toEqual([])
  })
})

describe('the count', () => {
  test('continues after a restart, and while the engine does not know its numbers yet', async () => {
    const { one, other } = await threeNumbers()
    for (let i = 1; i <= 3; i++) await b.send(one, stranger(i))
    b.restart()
    b.room.official.script.evidenceOf.clear()
    expect(await used(other)).toBe(0)
    expect(await used(one)).toBe(3)
    await b.send(one, stranger(4))
    b.belongs(one, 'A', 'TIER_3')
    b.belongs(other, 'A', 'TIER_3')
    expect([await used(one), await used(other)]).toEqual([4, 4])
  })

  test('moves with a number that turns out to belong to another portfolio', async () => {
    await open()
    const [one, other] = [await official('12025550100'), await official('12025550200')]
    b.belongs(one, 'account 1', 'TIER_3')
    b.belongs(other, 'account 2', 'TIER_3')
    await b.send(one, stranger(1))
    await b.send(one, stranger(2))
    await b.send(other, stranger(2))
    await b.send(other, stranger(3))
    expect([await used(one), await used(other)]).toEqual([2, 2])
    b.belongs(one, 'portfolio', 'TIER_3')
    b.belongs(other, 'portfolio', 'TIER_3')
    expect(await b.claim(other, stranger(4))).toEqual({ kind: 'granted' })
    await b.release(other, stranger(4))
    expect([await used(one), await used(other)]).toEqual([3, 3])
    expect(await b.claim(other, stranger(4))).toMatchObject({ kind: 'wait', reason: 'messaging_limit' })
  })

  test('stays with the portfolio of a number that is replaced or deleted', async () => {
    const { one, other } = await threeNumbers()
    await b.send(one, stranger(1))
    await b.room.instances.onSignal(one.id, { kind: 'connected', number: '12025550999', name: null })
    b.belongs(one, 'C', 'TIER_3')
    await b.send(one, stranger(2))
    expect([await used(one), await used(other)]).toEqual([1, 1])
    await b.room.instances.remove(one.id)
    expect(await used(other)).toBe(1)
  })

  test('counts people who turn out to be one person once', async () => {
    const { one, other } = await threeNumbers()
    const hidden = 'US.13491208655302741918'
    const move = (from: string, to: string) =>
      b.room.database.db.commit((tx) =>
        b.safety.movePerson(tx, { instanceId: one.id, accountId: b.room.accountId, from, to } as never),
      )
    await b.send(one, hidden)
    pass(MINUTE)
    await b.send(other, ANA)
    expect(await used(one)).toBe(2)
    await move(hidden, ANA)
    expect(await used(one)).toBe(1)
    await move(ANA, '12025550177')
    expect(await used(other)).toBe(1)
    pass(DAY - MINUTE)
    expect(await used(one)).toBe(1)
    pass(MINUTE)
    expect(await used(one)).toBe(0)
  })

  test('matches a model of all messages under random operations', async () => {
    const { one, other, third } = await threeNumbers('TIER_100K')
    const random = seededRandom(11)
    const pick = (below: number) => Math.floor(random.fraction() * below)
    const sides = [one, other, third]
    const groups = new Map([
      [one.id, 'A'],
      [other.id, 'A'],
      [third.id, 'B'],
    ])
    let sent: { group: string; person: string; atMs: number }[] = []
    for (let step = 0; step < 400; step++) {
      const side = sides[pick(3)] ?? one
      const person = stranger(pick(12))
      if (pick(10) === 0) {
        await b.prune()
        b.restart()
      }
      await b.send(side, person)
      if (pick(4) === 0) await b.undelivered(side)
      else sent.push({ group: groups.get(side.id) ?? '', person, atMs: b.room.clock.now() })
      pass(pick(3) === 0 ? pick(9 * HOUR) : pick(90 * SECOND))
      const now = b.room.clock.now()
      sent = sent.filter(({ atMs }) => atMs > now - DAY)
      for (const [at, key] of [
        [one, 'A'],
        [third, 'B'],
      ] as const) {
        const people = new Set(sent.filter(({ group }) => group === key).map((one) => one.person))
        expect([step, await used(at)]).toEqual([step, people.size])
      }
    }
  })

  test('of a million messages reads a row for each minute of the day', { timeout: 120_000 }, async () => {
    const { one } = await threeNumbers('TIER_100K')
    await b.send(one, stranger(1))
    const { raw, db } = b.room.database
    const nowMs = b.room.clock.now()
    raw.exec(`INSERT INTO safety_reached WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
        SELECT '${one.id}', 1000000 + i, 'M', 'p' || i, ${nowMs - 2 * DAY} + i * ${2 * DAY} / 1000000 FROM n;
      INSERT INTO safety_minutes SELECT portfolio, reached_at / 60000, COUNT(*) FROM safety_reached
        WHERE portfolio = 'M' GROUP BY portfolio, reached_at / 60000`)
    expect(await peopleReached({ one: db.readOne }, 'M', nowMs)).toBe(500_000)
    const startedMs = performance.now()
    for (let i = 0; i < 20; i++) await peopleReached({ one: db.readOne }, 'M', nowMs, 100_000)
    // It takes about one millisecond. A count of all rows takes hundreds.
    expect((performance.now() - startedMs) / 20).toBeLessThan(40)
  })
})
