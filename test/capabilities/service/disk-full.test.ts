import { expect, test } from 'vitest'
import { sql } from '../../../main/kernel/sql.ts'
import { asConsole } from '../../support/console.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const MB = 1_000_000
const CUSTOMER = '12025550177'

const warnings = async (w: World): Promise<string[]> => {
  const { body } = await asConsole(w)('GET', '/v1/service')
  // The window counts those beside its settings.
  expect(body.troubles).toEqual(body.warnings)
  return body.warnings
}
const health = async (w: World) => (await w.api('GET', '/healthz', undefined, { key: null })).body
const hook = (w: World) =>
  w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/full', events: ['message.read'] })

test('D-01 a disk that fills up: new data is refused, reading and removing work, webhooks wait unharmed, and it recovers automatically', async () => {
  let free = 1_000 * MB
  const w = await worldOfTest({ freeBytes: () => free, settings: { sandboxTimelineMs: [0, 0, 0, 30_000] } })
  const { id } = await w.pair('12025550100')
  const spare = await w.instance()
  await hook(w)
  const send = () => w.api('POST', `/v1/instances/${id}/messages`, { to: CUSTOMER, text: 'Hello' })
  const sent = (await send()).body.message_id

  free = 150 * MB
  await w.pass(6_000)
  const refused = await send()
  expect([refused.status, refused.body.error]).toMatchObject([503, { code: 'storage_full', retryable: true }])
  expect((await w.api('POST', '/v1/instances', {})).body.error.code).toBe('storage_full')
  expect((await w.api('DELETE', `/v1/instances/${spare.id}?confirm=true`)).status).toBeLessThan(300)
  expect(await health(w)).toEqual({ status: 'degraded', problems: ['storage_full'] })
  expect((await w.api('GET', '/metrics')).text).toMatch(/^switchboard_storage_open 0$/m)
  expect(await warnings(w)).toEqual([expect.stringMatching(/^The disk is full \(150 MB free\)/)])

  // It is read all the same. That is kept, and its delivery waits without an attempt.
  await pastTheReceipt(w)
  expect((await w.api('GET', `/v1/instances/${id}/messages/${sent}`)).body.status).toBe('read')
  expect((await w.events()).filter(({ type }) => type === 'message.read')).toHaveLength(1)
  expect(await w.rows('SELECT status, attempts FROM deliveries')).toEqual([{ status: 'pending', attempts: 0 }])

  free = 1_000 * MB
  await w.clock.advance(6_000)
  expect([await health(w), await warnings(w)]).toEqual([{ status: 'ok', problems: [] }, []])
  expect(await w.caught('full')).toMatchObject([{ signature: 'valid' }])
  expect((await send()).status).toBe(201)
})

/** While the disk is full: a delivery that is due and not made is no rest, so nothing is waited for but time. */
const pastTheReceipt = (w: World) => w.clock.advance(60_000)

test('D-03 a database that may not grow behaves the same: writes are refused, nothing is half done, and it recovers when it may grow', async () => {
  const w = await worldOfTest()
  const limit = (pages: number) => w.service.db.commit((tx) => tx.one(sql(`PRAGMA max_page_count = ${pages}`), {}))
  const [before] = await w.rows<{ page_count: number }>('PRAGMA page_count')
  await limit((before?.page_count ?? 0) + 50)
  const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`key${i}`, 'x'.repeat(1_024)]))
  let made = 0
  let answer = await w.api('POST', '/v1/instances', { metadata })
  for (; answer.status === 201; made++) answer = await w.api('POST', '/v1/instances', { metadata })

  expect(answer.body.error.code).toBe('storage_full')
  expect((await w.api('GET', '/v1/instances?limit=200')).body.count).toBe(made)
  expect((await w.events()).map(({ type }) => type)).toEqual(Array(made).fill('instance.created'))
  expect((await health(w)).problems).toEqual(['storage_full'])
  expect(await w.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])

  await limit(1_000_000)
  await w.pass(6_000)
  expect((await w.api('POST', '/v1/instances', { metadata })).status).toBe(201)
})
