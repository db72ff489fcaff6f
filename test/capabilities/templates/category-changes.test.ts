import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { asConsole } from '../../support/console.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { until } from '../../support/service-process.ts'
import { world, type World } from '../../support/world.ts'
import { clientOf } from '../agency/agency-world.ts'

const DAY_MS = 24 * 60 * 60_000
const components = [{ type: 'BODY', text: 'The garden is open again.' }]

let w: World
let graph: GraphSimulator
let line: OfficialNumber
let list: string
let id: string
let at: string
beforeAll(async () => {
  w = await world({
    ...{ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } },
    onGraph: (made) => (graph = made),
  })
  line = await officialNumber(w, '12025550481')
  list = `/v1/instances/${line.id}/templates`
  id = (await w.api('POST', list, { name: 'open_again', language: 'en', category: 'UTILITY', components })).body.id
  await until('approved', async () => (await read()).status === 'APPROVED')
  await graph.templates(line.phoneNumberId).announceCategory(id, 'MARKETING')
  await until('told', async () => (await read()).category_change !== null)
  at = (await read()).category_change.changes_at
})
afterAll(() => w.close())

const read = async () => (await w.api('GET', `${list}/${id}`)).body
const attention = async (as: ReturnType<typeof asConsole>, query = '') =>
  (await as('GET', `/v1/overview/attention${query}`)).body.data.filter(
    ({ room }: { room: string }) => room === 'templates',
  )
const MESSAGE = {
  cloud_api: { type: 'template', template: { name: 'open_again', language: { code: 'en' } } },
}
const people = (count: number) => Array.from({ length: count }, (_, n) => ({ phone: String(12_025_550_100 + n) }))
const preview = async (config: object, message: object = MESSAGE) => {
  // At any time of the day: otherwise the first message leaves tomorrow if this runs in the evening.
  const body = {
    instance_ids: [line.id],
    messages: [message],
    recipients: people(4),
    config: { window: null, ...config },
  }
  const answer = await w.api('POST', '/v1/campaigns/preview', body)
  expect(answer.status, answer.text).toBe(200)
  const risks = answer.body.risks.filter(({ code }: { code: string }) => code === 'category_changes')
  return { risks, cost: answer.body.cost }
}

test('the template says its new category and when it changes', async () => {
  const change = { category: 'MARKETING', changes_at: expect.any(String) }
  expect(await read()).toMatchObject({ category: 'UTILITY', category_change: change })
  const { data } = (await w.api('GET', list)).body
  expect(data.find((one: { id: string }) => one.id === id)).toMatchObject({ category_change: change })
  const aheadMs = Date.parse(at) - Date.now()
  expect(aheadMs > 0.9 * DAY_MS && aheadMs <= DAY_MS, at).toBe(true)
})

test('it is an issue for this account and the live network', async () => {
  const console_ = asConsole(w)
  expect(await attention(console_)).toEqual([
    {
      ...{ room: 'templates', code: 'category_changes', severity: 'warning', count: 1, since: null, text: null },
      subject: { id: line.id, name: 'open_again' },
      detail: { code: 'MARKETING', params: { at } },
    },
  ])
  expect(await attention(console_, '?network=live')).toHaveLength(1)
  expect(await attention(console_, '?network=sandbox')).toEqual([])
  const client = await clientOf(w)
  expect(await attention(asConsole(w, { accountId: client.id as AccountId }))).toEqual([])
})

test('a campaign that continues after that shows a warning, and its cost then', async () => {
  const quick = await preview({ minDelay: 0, maxDelay: 1 })
  expect(quick).toMatchObject({ risks: [], cost: { messages: 4, unpriced: 0 } })
  const { risks, cost } = await preview({ dailyLimit: 1 })
  expect(risks).toEqual([
    {
      ...{ code: 'category_changes', severity: 'warning', field: 'messages' },
      message: `From ${at} on, Meta charges for the template open_again as MARKETING. The campaign also sends after that.`,
      params: { name: 'open_again', category: 'MARKETING', at },
    },
  ])
  // No example of a rate for marketing is built in.
  expect(cost).toMatchObject({ messages: 4, unpriced: 3 })
  expect((await preview({ dailyLimit: 1 }, { text: 'Hello' })).risks).toEqual([])
})

test('once it has happened, nothing is announced', async () => {
  await graph.templates(line.phoneNumberId).changeCategory(id, 'MARKETING')
  await until('changed', async () => (await read()).category === 'MARKETING')
  expect((await read()).category_change).toBeNull()
  expect(await attention(asConsole(w))).toEqual([])
  expect((await preview({ dailyLimit: 1 })).risks).toEqual([])
})
