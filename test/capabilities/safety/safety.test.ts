import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../support/database.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'

const LINE = '12025550100'
const safety = async (w: World, id: string) => (await w.api('GET', `/v1/instances/${id}/safety`)).body
const send = (w: World, id: string, to: string) => w.api('POST', `/v1/instances/${id}/messages`, { to, text: 'Hi' })
const receive = (w: World, from: string) =>
  w.api('POST', `/v1/sandbox/phones/${from}/messages`, { to: LINE, text: 'Hi' })

describe('GET /v1/instances/{id}/safety', () => {
  test('says what a new number has sent and that the sandbox has no limits', async () => {
    const w = await worldOfTest()
    const { id } = await w.pair(LINE)
    await send(w, id, '12025550101')
    await send(w, id, '12025550101')
    await send(w, id, '12025550102')
    expect(await safety(w, id)).toEqual({
      paired_days: 0,
      today: { sent: 3, limit: null, first_contacts: 2, first_contacts_limit: null },
      hour: { sent: 3, limit: null },
      messaging_limit: null,
      new_chats: null,
      restriction: null,
      reasons: [],
    })
  })

  test('answers for an instance that was never paired', async () => {
    const w = await worldOfTest()
    const { id } = await w.instance()
    expect(await safety(w, id)).toMatchObject({ paired_days: null, today: { sent: 0 } })
  })

  test('says that the network refuses first messages, and until when', async () => {
    const w = await worldOfTest()
    const { id } = await w.pair(LINE)
    await send(w, id, '12025550463')
    const until = new Date(w.clock.now() + 60_000).toISOString()
    expect(await safety(w, id)).toMatchObject({
      restriction: { active: true, kind: 'reachout', until },
      reasons: [{ code: 'restricted', until, message: expect.stringContaining('Do not start chats yourself') }],
    })
    await w.pass(60_000)
    expect(await safety(w, id)).toMatchObject({ restriction: null, reasons: [] })
  })

  test('is accessible to keys that may read instances, including restricted ones', async () => {
    const w = await worldOfTest()
    const [one, other] = [await w.pair(LINE), await w.pair()]
    const path = (id: string) => `/v1/instances/${id}/safety`
    const { key } = await w.key({ scopes: ['instances:read'], instances: [one.id] })
    expect((await w.api('GET', path(one.id), undefined, { key })).status).toBe(200)
    expect((await w.api('GET', path(other.id), undefined, { key })).status).toBe(404)
    const { key: blind } = await w.key({ scopes: ['messages:send'] })
    expect((await w.api('GET', path(one.id), undefined, { key: blind })).body.error.code).toBe('insufficient_scope')
  })

  test('counts for each account its own', async () => {
    const w = await worldOfTest()
    const { key } = await w.stranger()
    const mine = await w.pair(LINE)
    const theirs = (await w.api('POST', '/v1/instances', {}, { key })).body
    await send(w, mine.id, '12025550101')
    expect((await w.api('GET', `/v1/instances/${mine.id}/safety`, undefined, { key })).status).toBe(404)
    const answer = await w.api('GET', `/v1/instances/${theirs.id}/safety`, undefined, { key })
    expect(answer.body.today.sent).toBe(0)
  })

  test('has the same figures after a restart', async () => {
    const home = tempFolder()
    const first = await world({ home })
    const { id } = await first.pair(LINE)
    await send(first, id, '12025550101')
    const before = await safety(first, id)
    await first.close()
    const second = await world({ home, clock: first.clock, seed: 2 })
    expect(await safety(second, id)).toEqual(before)
    await second.close()
  })
})

test('limits and withheld messages reported by Meta are counted immediately', async () => {
  const w = await worldOfTest()
  const { id } = await w.official(LINE)
  await w.api('POST', '/v1/sandbox/phones', { number: '12025550463' })
  await receive(w, '12025550463')
  await w.quiet()
  await send(w, id, '12025550463')
  await w.quiet()
  expect(await w.rows('SELECT sent, spam_limited AS spamLimited, opened FROM safety_counts')).toEqual([
    { sent: 1, spamLimited: 1, opened: 0 },
  ])
})

/** What happens between a number and five people. Some cannot be reached, and are no contacts then. */
const happening = fc.record({
  person: fc.constantFrom('12025550101', '12025550102', '5511987650101', '12025550404', '12025550502'),
  kind: fc.constantFrom('send', 'send', 'receive'),
  spelling: fc.boolean(),
  laterMs: fc.constantFrom(0, 60_000, 3_600_000, 26 * 3_600_000),
})

test('the counters equal a full count of the messages', async () => {
  const w = await worldOfTest()
  const other = (number: string) => number.replace('55119', '5511')
  for (const number of ['12025550101', '12025550102', '5511987650101'])
    await w.api('POST', '/v1/sandbox/phones', { number })
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 12 }), async (all) => {
      const { id } = await w.pair(LINE)
      const model = new Map<number, { sent: number; firsts: number }>()
      const known = new Set<string>()
      for (const { person, kind, spelling, laterMs } of all) {
        w.clock.suspend(laterMs)
        if (kind === 'receive') {
          if ((await receive(w, person)).status === 201) known.add(person)
        } else {
          const { status, body } = await send(w, id, spelling ? other(person) : person)
          if (status !== 201) continue
          const quarter = Math.floor(w.clock.now() / 900_000)
          const count = model.get(quarter) ?? { sent: 0, firsts: 0 }
          model.set(quarter, { sent: count.sent + 1, firsts: count.firsts + Number(!known.has(person)) })
          if (body.sent) known.add(person)
        }
        await w.quiet()
      }
      const kept = await w.rows<{ quarter: number; sent: number; firsts: number }>(
        'SELECT quarter, sent, first_contacts AS firsts FROM safety_counts WHERE sent > 0 OR first_contacts > 0 ORDER BY quarter',
      )
      expect(kept).toEqual([...model].map(([quarter, count]) => ({ quarter, ...count })))
      await w.api('DELETE', `/v1/instances/${id}?confirm=true`)
      expect(await w.rows('SELECT instance_id FROM safety_counts')).toEqual([])
    }),
    { numRuns: 15 },
  )
})
