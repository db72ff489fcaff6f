import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { asConsole } from '../../support/console.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { until } from '../../support/service-process.ts'
import { world, type World } from '../../support/world.ts'

const ANA = '12025550301'
const PAYLOAD = { type: 'template', template: { name: 'first_words', language: { code: 'en' } } }

let w: World
let graph: GraphSimulator
let line: OfficialNumber
let template: string
beforeAll(async () => {
  w = await world({
    ...{ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } },
    onGraph: (made) => (graph = made),
  })
  line = await officialNumber(w, '12025550451')
  const components = [{ type: 'BODY', text: 'The garden is open again.' }]
  const path = `/v1/instances/${line.id}/templates`
  const draft = { name: 'first_words', language: 'en', category: 'MARKETING', components }
  template = (await w.api('POST', path, draft)).body.id
  await until('approved', async () => (await w.api('GET', `${path}/${template}`)).body.status === 'APPROVED')
})
afterAll(() => w.close())

async function sendHeld(): Promise<string> {
  graph.assessments.begin(template)
  const sent = await w.api('POST', `/v1/instances/${line.id}/messages`, { to: ANA, cloud_api: PAYLOAD })
  expect(sent.body).toMatchObject({ sent: true })
  return sent.body.message_id
}
const recordOf = async (id: string) => (await w.api('GET', `/v1/instances/${line.id}/messages/${id}`)).body
const inState = (id: string, status: string) =>
  until(status, async () => ((await recordOf(id)).status === status ? recordOf(id) : undefined))

test('a message that Meta holds back shows held_since until it is delivered', async () => {
  const id = await sendHeld()
  const held = await recordOf(id)
  expect([held.status, Date.parse(held.held_since)]).toEqual([
    'queued',
    expect.closeTo(Date.parse(held.created_at), -4),
  ])
  const thread = await asConsole(w)('GET', `/v1/instances/${line.id}/conversations/${ANA}/messages`)
  expect(thread.body.data[0]).toMatchObject({ message_id: id, status: 'queued', held_since: held.held_since })
  await graph.assessments.pass(template)
  const delivered = await until('delivered', async () => {
    const record = await recordOf(id)
    return record.delivered_at === null ? undefined : record
  })
  expect(delivered).toMatchObject({ held_since: null, error: null })
})

test('a held message fails with a reason when its template is paused', async () => {
  const id = await sendHeld()
  await graph.assessments.fail(template)
  expect(await inState(id, 'failed')).toMatchObject({
    held_since: null,
    error: { provider_code: 132_015, message: expect.stringContaining('paused this template') },
  })
})

test('a message that Meta does not hold back has no held_since', async () => {
  const sent = await w.api('POST', `/v1/instances/${line.id}/messages`, { to: ANA, cloud_api: PAYLOAD })
  expect(await recordOf(sent.body.message_id)).toMatchObject({ held_since: null })
})
