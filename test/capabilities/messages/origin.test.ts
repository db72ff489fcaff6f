import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SendOrigin } from '../../../main/contract/send-origin.ts'
import { accepted, bench, idIn, INSTANCE, TEXT, type Bench } from './bench.ts'

let b: Bench
beforeEach(async () => {
  b = await bench()
})
afterEach(() => b.close())

test.each<SendOrigin>([
  { kind: 'campaign', campaignId: 'cmp_1', position: 7 },
  { kind: 'agent', turnSeq: 12, part: 1 },
  { kind: 'crm', link: 'ghl', externalId: 'abc#1' },
])('each event of a message contains its origin %j for other rooms, also after a restart', async (origin) => {
  b.engine.plan = async (id) => accepted(`E-${id}`, 'queued')
  const messageId = idIn(await b.send(TEXT, { key: 'cmp:cmp_2:3', source: 'campaign', origin }))
  await b.reopen()
  await b.messages.onSignal(INSTANCE, { kind: 'receipt', messageId, status: 'delivered', atMs: b.clock.now() })

  expect(b.origins).toEqual([origin, origin])
  expect(b.lastData()).not.toHaveProperty('origin')
  expect(b.lastData()['campaign_id']).toBe(origin.kind === 'campaign' ? 'cmp_1' : null)
})

test('a message sent over the API has no origin, whatever its idempotency key is', async () => {
  await b.send(TEXT, { key: 'cmp:cmp_1:7' })

  expect(b.origins).toEqual([null])
})
