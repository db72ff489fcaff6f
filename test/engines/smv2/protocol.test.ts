import type { WAVersion } from 'baileys'
import { beforeEach, describe, expect, test } from 'vitest'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createProtocol, type Protocol } from '../../../main/engines/smv2/protocol.ts'
import type { OutboundRequest } from '../../../main/outbound/outbound.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { webPages, type WebPages } from '../../support/whatsapp/web-pages.ts'

const ACCOUNT = 'account' as AccountId
const BUNDLED: WAVersion = [2, 3000, 1_043_857_760]
const WHATSAPP = 'web.whatsapp.com'
const DAY_MS = 86_400_000

let clock: FakeClock
let data: TestDatabase
let pages: WebPages
let protocol: Protocol

beforeEach(async () => {
  clock = fakeClock()
  data = await testDatabase(undefined, { clock })
  pages = webPages()
  pages.publish(1_050_000_000)
  protocol = opened()
})

const opened = (configured: string | null = null): Protocol =>
  createProtocol({ db: data.db, clock, log: silentLog, outbound: pages, configured })
const version = (revision: number): WAVersion => [2, 3000, revision]
const current = () => protocol.current(BUNDLED, ACCOUNT)

describe('the protocol version', () => {
  test('is looked up before the first connection, and again a day later in parallel to a connection', async () => {
    expect(await current()).toEqual(version(1_050_000_000))
    expect(pages.asked).toEqual([WHATSAPP])
    await clock.advance(DAY_MS + 1)
    pages.publish(1_050_065_000)
    expect(await current()).toEqual(version(1_050_000_000))
    await expect.poll(current).toEqual(version(1_050_065_000))
    expect(pages.asked).toEqual([WHATSAPP, WHATSAPP])
  })

  test.each([
    [13, 1_050_000_000],
    [15, 1_051_000_000],
  ])('that was looked up %i days before a restart becomes %i', async (days, revision) => {
    await current()
    await clock.advance(days * DAY_MS)
    pages.publish(1_051_000_000)
    protocol = opened()
    expect(await current()).toEqual(version(revision))
  })

  test('is the last known one if the look-up takes too long, and the new one afterwards', async () => {
    const answer = Promise.withResolvers<undefined>()
    const slow = { ...pages, request: async (asked: OutboundRequest) => (await answer.promise, pages.request(asked)) }
    protocol = createProtocol({ db: data.db, clock, log: silentLog, outbound: slow, configured: null })
    const first = current()
    await clock.advance(5_000)
    expect(await first).toEqual(BUNDLED)
    answer.resolve(undefined)
    await expect.poll(current).toEqual(version(1_050_000_000))
  })

  test('is never older than the one in the library', async () => {
    pages.publish(1_035_920_091)
    await current()
    await expect.poll(() => data.db.readOne({ text: 'SELECT version FROM smv2_protocol' }, {})).toBeDefined()
    expect(await current()).toEqual(BUNDLED)
  })

  test('is the one in the settings, without a look-up', async () => {
    protocol = opened('2.3000.1000000001')
    expect(await current()).toEqual(version(1_000_000_001))
    expect(await protocol.refresh(version(1_000_000_001), ACCOUNT)).toBe(false)
    expect(pages.asked).toEqual([])
  })

  test('stays the newest one, even if a page reports an older one later', async () => {
    await protocol.refresh(BUNDLED, ACCOUNT)
    pages.publish(1_044_000_000)
    await clock.advance(DAY_MS + 1)
    await current()
    await expect.poll(() => pages.asked).toHaveLength(2)
    expect(await current()).toEqual(version(1_050_000_000))
  })
})

describe('a refused protocol version', () => {
  test('is looked up with the headers of a browser, without which the answer is 400', async () => {
    expect(await protocol.refresh(BUNDLED, ACCOUNT)).toBe(true)
    expect(await current()).toEqual(version(1_050_000_000))
  })

  test('is looked up once for all numbers, and each may connect again', async () => {
    const lines = Array.from({ length: 40 }, () => protocol.refresh(BUNDLED, ACCOUNT))
    expect(await Promise.all(lines)).toEqual(lines.map(() => true))
    expect(pages.asked).toEqual([WHATSAPP])
    expect(await protocol.refresh(BUNDLED, ACCOUNT)).toBe(true)
    expect(pages.asked).toEqual([WHATSAPP])
  })

  test('is looked up at the second source if the first fails', async () => {
    pages.fail(WHATSAPP, 503)
    expect(await protocol.refresh(BUNDLED, ACCOUNT)).toBe(true)
    expect(pages.asked).toEqual([WHATSAPP, 'connect.facebook.net'])
  })

  test('is not looked up again immediately while no page has a newer one', async () => {
    pages.publish(BUNDLED[2])
    expect(await protocol.refresh(BUNDLED, ACCOUNT)).toBe(false)
    expect(await protocol.refresh(BUNDLED, ACCOUNT)).toBe(false)
    expect(pages.asked).toEqual([WHATSAPP])
    pages.publish(1_050_000_001)
    await clock.advance(61_000)
    expect(await protocol.refresh(BUNDLED, ACCOUNT)).toBe(true)
  })
})

describe('a failed look-up of the protocol version', () => {
  const fail = (status: number | null) => {
    for (const host of [WHATSAPP, 'connect.facebook.net']) pages.fail(host, status)
  }

  test('reports the answer of both pages, its start, and the age of the version', async () => {
    await current()
    expect(protocol.failure()).toBeNull()
    const learnedAtMs = clock.now()
    await clock.advance(20 * DAY_MS)
    fail(503)
    protocol = opened()
    expect(await current()).toEqual(version(1_050_000_000))
    expect(protocol.failure()).toEqual({
      ...{ version: '2.3000.1050000000', learnedAtMs, sinceMs: clock.now() },
      answers: 'web.whatsapp.com: 503, connect.facebook.net: 503',
    })
  })

  test('reports no age for the version in the library', async () => {
    fail(500)
    expect(await current()).toEqual(BUNDLED)
    expect(protocol.failure()).toMatchObject({ version: '2.3000.1043857760', learnedAtMs: null })
  })

  test('keeps its start time while it lasts, and ends with the next success', async () => {
    fail(500)
    await current()
    const sinceMs = clock.now()
    await clock.advance(DAY_MS + 1)
    fail(400)
    await current()
    await expect.poll(() => protocol.failure()?.answers).toContain('400')
    expect(protocol.failure()).toMatchObject({ sinceMs })
    fail(null)
    await clock.advance(DAY_MS + 1)
    await current()
    await expect.poll(() => protocol.failure()).toBeNull()
  })

  test('is repeated after an hour, and does not delay each connection', async () => {
    fail(500)
    await current()
    await current()
    expect(pages.asked).toHaveLength(2)
    await clock.advance(3_600_001)
    await current()
    await expect.poll(() => pages.asked).toHaveLength(4)
  })
})
