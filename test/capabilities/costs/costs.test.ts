import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../main/kernel/clock.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { browserOf, builtConsole, newCode, type Browser } from '../../support/panel.ts'
import { until } from '../../support/service-process.ts'
import { world, type World } from '../../support/world.ts'

const TEMPLATE = {
  cloud_api: { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } },
}

let w: World
let line: OfficialNumber
let other: OfficialNumber
let browser: Browser
beforeAll(async () => {
  const settings = { graphBaseUrl: 'sandbox', network: 'live' } as const
  w = await world({ clock: systemClock, settings, consoleFolder: builtConsole() })
  browser = browserOf(w)
  await browser.signIn({ code: newCode(w) })
  line = await officialNumber(w, '12025550451')
  other = await officialNumber(w, '12025550452')
})
afterAll(() => w.close())

const recordOf = async (id: string, messageId: string) =>
  (await w.api('GET', `/v1/instances/${id}/messages/${messageId}`)).body

async function sendRead(id: string, to: string): Promise<string> {
  const sent = await w.api('POST', `/v1/instances/${id}/messages`, { to, ...TEMPLATE })
  expect(sent.status).toBe(201)
  const { message_id: messageId } = sent.body
  await until('read', async () => (await recordOf(id, messageId)).status === 'read')
  return messageId
}

const costs = async (query = '', key?: string) =>
  w.api('GET', `/v1/usage/costs?${query}`, undefined, key ? { key } : {})

test('a message contains the price that Meta reported, and is counted once', async () => {
  const messageId = await sendRead(line.id, '12025550161')
  expect((await recordOf(line.id, messageId)).pricing).toEqual({
    ...{ category: 'utility', type: 'regular', model: 'PMP', billable: true },
  })
  await sendRead(other.id, '12025550162')
  const { status, body } = await costs()
  expect(status).toBe(200)
  const one = { messages: 1, free: 0, allowance: 0, billable: 1, unpriced: 0, estimated: true }
  const cost = [{ currency: 'usd', amount_micros: 3_400 }]
  const names = new Map<string, string>()
  for (const { id } of [line, other]) names.set(id, (await w.api('GET', `/v1/instances/${id}`)).body.name)
  const rowOf = (key: string) => ({ key, name: names.get(key), account: null, ...one, costs: cost })
  expect(body.data).toEqual([line.id, other.id].toSorted().map(rowOf))
  expect(body.totals).toMatchObject({ messages: 2, costs: [{ currency: 'usd', amount_micros: 6_800 }] })
})

test('rows for accounts and campaigns have a name, and rows for days and deleted objects have none', async () => {
  const [account] = (await costs('group=account')).body.data
  expect(account).toMatchObject({ key: w.account.id, name: w.account.name })
  const [day] = (await costs('group=day')).body.data
  expect(day.name).toBeNull()
  const [none] = (await costs('group=campaign')).body.data
  expect(none).toMatchObject({ key: '', name: null })
})

test('a message that no network charges has no price', async () => {
  const { id } = (await w.api('POST', '/v1/instances', { engine: 'official', network: 'sandbox' })).body
  await w.api('POST', `/v1/sandbox/instances/${id}/onboard`, { number: '12025550453' })
  await until('connected', async () => (await w.api('GET', `/v1/instances/${id}`)).body.connected === true)
  const sent = await w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550163', ...TEMPLATE })
  expect(sent.status).toBe(201)
  expect((await recordOf(id, sent.body.message_id)).pricing).toBeNull()
})

test('a restricted key sees only the costs of its own instances', async () => {
  const { key } = await w.key({ scopes: ['billing:read'], instances: [line.id] })
  const { body } = await costs('', key)
  expect(body.data.map((row: { key: string }) => row.key)).toEqual([line.id])
  expect((await costs(`instance_id=${other.id}`, key)).body.data).toEqual([])
  expect((await costs('account_id=019b8d40-3c1e-7a52-8f63-1d2c3b4a5968', key)).status).toBe(404)
  expect((await costs(`account_id=${w.account.id}`, key)).body.data).toHaveLength(1)
})

test.each([
  ['from=2026-11-02&to=2026-11-01', 400],
  ['from=2026-13-01', 400],
  ['group=weekday', 400],
  ['account_id=019b8d40-3c1e-7a52-8f63-1d2c3b4a5968', 404],
])('refuses %s', async (query, status) => {
  expect((await costs(query)).status).toBe(status)
})

describe('rates', () => {
  const ask = (method: string, body?: object, query = '') =>
    browser.ask(method, `/panel/v1/message-rates${query}`, body)

  test('are set and removed by the operator, and change the costs immediately', async () => {
    const rate = { country: 'US', category: 'utility', valid_from: '2026-10-01', currency: 'usd' }
    const set = await ask('PUT', { ...rate, amount_micros: 4_000, source: 'Our rate card' })
    expect([set.status, set.body.example]).toEqual([200, false])
    expect((await costs()).body.totals).toMatchObject({
      costs: [{ currency: 'usd', amount_micros: 8_000 }],
      estimated: false,
    })
    const query = '?country=US&category=utility&valid_from=2026-10-01'
    expect((await ask('DELETE', undefined, query)).status).toBe(204)
    expect((await costs()).body.totals).toMatchObject({ costs: [{ currency: 'usd', amount_micros: 6_800 }] })
    const { data, allowances } = (await ask('GET')).body
    expect(data.every(({ example, source }: { example: boolean; source: string }) => example && source !== '')).toBe(
      true,
    )
    expect(allowances).toMatchObject([{ category: 'service', messages: 1_000 }])
  })

  test.each([
    [{ country: 'usa' }],
    [{ amount_micros: -1 }],
    [{ amount_micros: 0.5 }],
    [{ valid_from: '2026-10' }],
    [{ source: '' }],
  ])('refuses %j', async (change) => {
    const rate = { country: 'US', category: 'utility', valid_from: '2026-10-01', currency: 'usd', amount_micros: 1 }
    expect((await ask('PUT', { ...rate, source: 'Ours', ...change })).status).toBe(400)
  })

  test('do not exist for API keys', async () => {
    expect((await w.api('GET', '/v1/message-rates')).status).toBe(404)
  })
})

test('two numbers with the same name can be told apart by the client that owns one', async () => {
  const { id: client } = (await w.api('POST', '/v1/agency/accounts', { name: 'North bakery', slots_allocated: 5 })).body
  for (const { id } of [line, other]) await w.api('PATCH', `/v1/instances/${id}`, { name: 'Front desk' })
  const moved = await w.api('POST', `/v1/agency/instances/${other.id}/transfer`, { account_id: client })
  expect(moved.status, moved.text).toBe(200)
  const { data } = (await costs()).body
  const rowOf = (key: string) => data.find((row: { key: string }) => row.key === key)
  expect(rowOf(line.id)).toMatchObject({ name: 'Front desk', account: null })
  expect(rowOf(other.id)).toMatchObject({ name: 'Front desk', account: { id: client, name: 'North bakery' } })
  const [first] = (await costs('group=account')).body.data
  expect(first.account).toBeNull()
})
