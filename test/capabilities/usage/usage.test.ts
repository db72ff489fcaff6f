import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { beforeAll, afterAll, describe, expect, test } from 'vitest'
import { createUsage, usageReport, type Usage } from '../../../main/capabilities/usage/index.ts'
import type { UsageReport } from '../../../main/capabilities/usage/report.ts'
import { USAGE_COUNTERS, type UsageRow } from '../../../main/contract/usage.ts'
import type { AccountId, InstanceId } from '../../../main/kernel/ids.ts'
import { yieldToEventLoop } from '../../../main/kernel/yield-to-event-loop.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'
import { shortestOf, slowness } from '../../support/loop-stretch.ts'
import { seededRandom } from '../../support/random.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'

const ZONE = 'Asia/Kathmandu'
/** A quarter of a minute before midnight there, with the odd offset of that zone. */
const LATE = Date.UTC(2026, 0, 5, 18, 14, 50)

/** What the message table says, by instance and day of the zone. */
async function recount(w: World, zone: string): Promise<Map<string, Record<string, number>>> {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
  const found = new Map<string, Record<string, number>>()
  const add = (instanceId: string, atMs: number | null, name: string, more = 1) => {
    if (atMs === null || more === 0) return
    const place = `${instanceId} ${format.format(atMs)}`
    const counts = found.get(place) ?? {}
    found.set(place, { ...counts, [name]: (counts[name] ?? 0) + more })
  }
  const rows = await w.rows<{
    instance_id: string
    direction: string
    source: string | null
    media: string | null
    created_at: number
    sent_at: number | null
    failed_at: number | null
  }>('SELECT instance_id, direction, source, media, created_at, sent_at, failed_at FROM messages WHERE seq > 0')
  for (const row of rows) {
    if (row.direction === 'in') add(row.instance_id, row.created_at, 'received')
    if (row.direction === 'out') {
      add(row.instance_id, row.sent_at, 'sent')
      add(row.instance_id, row.failed_at, 'failed')
      if (row.source === 'campaign') add(row.instance_id, row.sent_at, 'campaign_sends')
    }
    const media = row.media === null ? null : (JSON.parse(row.media) as { size: number; pending?: boolean })
    if (media !== null && media.pending !== true) add(row.instance_id, row.created_at, 'media_bytes', media.size)
  }
  return found
}

const kept = async (w: World) => {
  const rows = await w.rows<UsageRow>('SELECT * FROM usage_daily')
  return new Map(
    rows.flatMap((row) => {
      const counts = Object.fromEntries(USAGE_COUNTERS.flatMap((name) => (row[name] === 0 ? [] : [[name, row[name]]])))
      return Object.keys(counts).length === 0 ? [] : [[`${row.instance_id} ${row.day}`, counts] as const]
    }),
  )
}

/** Takes it, is not on the network, fails later, cannot be reached (its row is removed), is restricted. */
const NUMBERS = ['12025551000', '12025550404', '12025550410', '12025550502', '12025550463', '12025551001']

test('the counters equal a count of the messages after sends, refusals, removals, receipts and deletions', async () => {
  const w = await worldOfTest({ clock: fakeClock(LATE) })
  await w.service.db.commit((tx) => tx.run({ text: 'UPDATE accounts SET timezone = :zone' }, { zone: ZONE }))
  const random = seededRandom(7)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.fraction() * list.length)] as T
  const lines = [await w.pair('12025559001'), await w.pair('12025559002'), await w.official('12025559003')]
  for (let n = 0; n < 60; n++) {
    const { id, phone_number: number } = pick(lines)
    const to = pick(NUMBERS)
    const act = random.fraction()
    if (act < 0.5) await w.api('POST', `/v1/instances/${id}/messages`, { to, text: `Hello ${n}` })
    else if (act < 0.65)
      await w.api('POST', `/v1/instances/${id}/messages`, {
        ...{ to, media_url: 'https://media.sandbox/document.pdf', media_type: 'document' },
      })
    else if (act < 0.9) await w.api('POST', `/v1/sandbox/phones/${to}/messages`, { to: number, text: `Hi ${n}` })
    else await w.clock.advance(2_345)
    if (n % 20 === 19) {
      await w.quiet()
      expect(await kept(w)).toEqual(await recount(w, ZONE))
    }
  }
  await w.api('DELETE', `/v1/instances/${lines[0].id}?confirm=true`)
  await w.quiet()
  const counted = await kept(w)
  expect(counted).toEqual(await recount(w, ZONE))
  const all = [...counted.values()]
  const sum = (name: string) => all.reduce((total, counts) => total + (counts[name] ?? 0), 0)
  for (const name of ['sent', 'received', 'failed', 'media_bytes']) expect(sum(name), name).toBeGreaterThan(0)
  expect(new Set([...counted.keys()].map((place) => place.split(' ')[1])).size).toBeGreaterThan(1)
})

test('a day ends in the account’s time zone, and not at midnight UTC', async () => {
  const data = await testDatabase()
  const usage = createUsage({ db: data.db, clock: fakeClock(), timeZoneOf: async () => 'America/Sao_Paulo' })
  const [accountId, instanceId] = ['a' as AccountId, 'i' as InstanceId]
  const at = (iso: string) =>
    data.db.commit((tx) => usage.add(tx, { accountId, instanceId, atMs: Date.parse(iso), sent: 1 }))
  await at('2026-03-02T02:59:59.999Z')
  await at('2026-03-02T03:00:00.000Z')
  const days: string[] = []
  for await (const rows of usage.rows([accountId], { from: '2026-03-01', to: '2026-03-02' }))
    days.push(...rows.map(({ day }) => day))
  expect(days).toEqual(['2026-03-01', '2026-03-02'])
  await data.close()
})

test('what is rolled back is not counted, and totals are the sum of the rows of any span', async () => {
  const data = await testDatabase()
  const usage = createUsage({ db: data.db, clock: fakeClock(), timeZoneOf: async () => 'UTC' })
  const accounts = ['a', 'b'] as AccountId[]
  const use = fc.record({
    ...{ accountId: fc.constantFrom(...accounts), instanceId: fc.constantFrom('i' as InstanceId, 'j' as InstanceId) },
    ...{ day: fc.integer({ min: 1, max: 5 }), calls: fc.nat(3), callSeconds: fc.nat(99), aiTokens: fc.nat(999) },
    fails: fc.boolean(),
  })
  let expected = { calls: 0, call_seconds: 0, ai_tokens: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(use, { maxLength: 20 }), async (all) => {
      for (const { day, fails, ...rest } of all) {
        const unit = data.db.commit(async (tx) => {
          await usage.add(tx, { ...rest, atMs: Date.UTC(2026, 2, day, 12) })
          if (fails) throw new Error('undone')
        })
        await unit.catch(() => {})
        if (fails || day < 2 || day > 4) continue
        expected = {
          calls: expected.calls + rest.calls,
          call_seconds: expected.call_seconds + rest.callSeconds,
          ai_tokens: expected.ai_tokens + rest.aiTokens,
        }
      }
      const span = { from: '2026-03-02', to: '2026-03-04' }
      expect(await usage.totals(accounts, span)).toMatchObject(expected)
      let tokens = 0
      for await (const rows of usage.rows(accounts, span)) for (const row of rows) tokens += row.ai_tokens
      expect(tokens).toBe(expected.ai_tokens)
    }),
    { numRuns: 25 },
  )
  await data.close()
})

describe('reading', () => {
  let w: World
  beforeAll(async () => {
    w = await world()
  })
  afterAll(() => w.close())

  test('is for people at the console, and never for a key', async () => {
    expect((await w.api('GET', '/v1/usage?from=2026-03-01&to=2026-03-02')).body.error.code).toBe('not_found')
  })
})

test('the usage of 200 numbers on 300 days is produced in portions, and has the correct sums', async () => {
  const days = Array.from({ length: 300 }, (_, at) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10))
  const rowsOf = (day: string): UsageRow[] =>
    Array.from({ length: 200 }, (_, at) => ({
      ...{ account_id: 'a', instance_id: `number ${at}`, day },
      ...{
        sent: 1,
        received: 2,
        failed: 0,
        campaign_sends: 0,
        calls: 0,
        call_seconds: 0,
        ai_tokens: 3,
        media_bytes: 0,
      },
    }))
  const usage = {
    async *rows() {
      for (const day of days) {
        yield rowsOf(day)
        await yieldToEventLoop()
      }
    },
  } as unknown as Usage
  const wish = {
    accountIds: ['a' as AccountId],
    query: {},
    today: '2026-11-01',
    wantsCsv: false,
    forSpreadsheets: false,
  }
  const read = async () => {
    const { stream } = await usageReport(usage, wish)
    return buffer(stream ?? Readable.from([]))
  }
  const report = JSON.parse((await read()).toString()) as UsageReport
  expect(report.data).toEqual(days.flatMap(rowsOf))
  expect(report.totals).toMatchObject({ sent: 60_000, received: 120_000, failed: 0, ai_tokens: 180_000 })
  expect((await shortestOf(4, read, 20)) / slowness()).toBeLessThan(20)
})
