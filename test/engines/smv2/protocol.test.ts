import type { WAVersion } from 'baileys'
import { beforeEach, describe, expect, test } from 'vitest'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createProtocol, type Protocol } from '../../../main/engines/smv2/protocol.ts'
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

describe('the version to connect with', () => {
  test('is the bundled one at first, and tomorrow the one that was looked up today', async () => {
    expect(await current()).toEqual(BUNDLED)
    await expect.poll(current).toEqual(version(1_050_000_000))
    expect(pages.asked).toEqual([WHATSAPP])
    await clock.advance(DAY_MS + 1)
    pages.publish(1_050_065_000)
    await current()
    await expect.poll(current).toEqual(version(1_050_065_000))
    expect(pages.asked).toEqual([WHATSAPP, WHATSAPP])
  })

  test('is never older than the bundled one', async () => {
    pages.publish(1_035_920_091)
    await current()
    await expect.poll(() => data.db.readOne({ text: 'SELECT version FROM smv2_protocol' }, {})).toBeDefined()
    expect(await current()).toEqual(BUNDLED)
  })

  test('is that of the settings, and nobody is asked then', async () => {
    protocol = opened('2.3000.1000000001')
    expect(await current()).toEqual(version(1_000_000_001))
    expect(await protocol.refresh(version(1_000_000_001), ACCOUNT)).toBe(false)
    expect(pages.asked).toEqual([])
  })

  test('stays the newest that was named, when a page names an older one afterwards', async () => {
    await protocol.refresh(BUNDLED, ACCOUNT)
    pages.publish(1_044_000_000)
    await clock.advance(DAY_MS + 1)
    await current()
    await expect.poll(() => pages.asked).toHaveLength(2)
    expect(await current()).toEqual(version(1_050_000_000))
  })
})

describe('a refused version', () => {
  test('is looked up as a browser does: without its headers the answer would be 400', async () => {
    expect(await protocol.refresh(BUNDLED, ACCOUNT)).toBe(true)
    expect(await current()).toEqual(version(1_050_000_000))
  })

  test('is looked up once for all lines, and each of them may connect again', async () => {
    const lines = Array.from({ length: 40 }, () => protocol.refresh(BUNDLED, ACCOUNT))
    expect(await Promise.all(lines)).toEqual(lines.map(() => true))
    expect(pages.asked).toEqual([WHATSAPP])
    expect(await protocol.refresh(BUNDLED, ACCOUNT)).toBe(true)
    expect(pages.asked).toEqual([WHATSAPP])
  })

  test('is found at the second source when the first does not say', async () => {
    pages.fail(WHATSAPP, 503)
    expect(await protocol.refresh(BUNDLED, ACCOUNT)).toBe(true)
    expect(pages.asked).toEqual([WHATSAPP, 'connect.facebook.net'])
  })

  test('stays refused while no page names a newer one, and lines that follow do not ask again at once', async () => {
    pages.publish(BUNDLED[2])
    expect(await protocol.refresh(BUNDLED, ACCOUNT)).toBe(false)
    expect(await protocol.refresh(BUNDLED, ACCOUNT)).toBe(false)
    expect(pages.asked).toEqual([WHATSAPP])
    pages.publish(1_050_000_001)
    await clock.advance(61_000)
    expect(await protocol.refresh(BUNDLED, ACCOUNT)).toBe(true)
  })
})
