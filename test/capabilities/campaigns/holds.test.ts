import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { officialNumber } from '../../support/official-number.ts'
import { until } from '../../support/service-process.ts'
import { world, type World } from '../../support/world.ts'
import { campaign, campaignOf, expectCountsRight, recipientsOf } from './campaign-world.ts'

const TEMPLATE = {
  cloud_api: { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } },
}
const PEOPLE = ['12025550151', '12025550152', '12025550153']

let w: World
let graph: GraphSimulator
beforeAll(async () => {
  w = await world({
    ...{ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } },
    onGraph: (made) => (graph = made),
  })
})
afterAll(() => w.close())

const paused = (id: string) =>
  until('paused', async () => {
    const found = await campaign(w, id)
    return found.status === 'paused' ? found : undefined
  })

const issuesOf = async (id: string): Promise<string[]> =>
  (await w.api('GET', `/v1/instances/${id}/health`)).body.issues.map(({ code }: { code: string }) => code)

const statuses = async (id: string) => (await recipientsOf(w, id)).map(({ status }) => status)

/** It may send at any hour, and as fast as it can. */
const SWIFT = { minDelay: 0, maxDelay: 0, pauseAfter: null, window: null, skipIfContactedHours: null, typing: false }
const offer = (instances: readonly { id: string }[]) =>
  campaignOf(w, { instances, phones: PEOPLE, messages: [TEMPLATE], config: SWIFT })

describe('a campaign waits, and no recipient fails, while Meta refuses', () => {
  test.each([
    ['payment_missing', 'payment', 'held_payment', '12025550431'],
    ['display_name_pending', 'number', 'held_display_name', '12025550432'],
    ['not_registered', 'number', 'held_registration', '12025550433'],
    ['number_limited', 'quality', 'held_spam', '12025550434'],
  ])('%s: paused by %s, and the number says so', async (fault, reason, issue, number) => {
    const line = await officialNumber(w, number)
    await line.cause(fault)
    const id = await offer([line])
    expect((await paused(id)).pause_reason).toBe(reason)
    expect(await statuses(id)).toEqual(['pending', 'pending', 'pending'])
    expect(await issuesOf(line.id)).toContain(issue)
    const sent = await w.api('POST', `/v1/instances/${line.id}/messages`, { to: PEOPLE[0], ...TEMPLATE })
    expect([sent.status, sent.body.error.code]).toEqual([409, 'not_ready'])
    expect(sent.body.error.message).not.toContain('Connect the instance')
  })

  test.each([
    ['template_paused', '12025550435', true],
    ['template_disabled', '12025550436', false],
  ])('%s: paused by the template', async (fault, number, isTriedAgain) => {
    const line = await officialNumber(w, number)
    await line.cause(fault)
    const id = await offer([line])
    const { pause_reason: reason, next_send_at: next } = await paused(id)
    expect(reason).toBe('template')
    expect(next !== null).toBe(isTriedAgain)
    expect(await statuses(id)).toEqual(['pending', 'pending', 'pending'])
    expect(await issuesOf(line.id)).toEqual([])
  })
})

test('a template that Meta does not have holds the campaign until a person acts', async () => {
  const line = await officialNumber(w, '12025550444')
  const missing = { cloud_api: { type: 'template', template: { name: 'not_there', language: { code: 'en_US' } } } }
  const id = await campaignOf(w, { instances: [line], phones: PEOPLE, messages: [missing], config: SWIFT })
  const { pause_reason: reason, next_send_at: next } = await paused(id)
  expect([reason, next]).toEqual(['template', null])
  expect(await statuses(id)).toEqual(['pending', 'pending', 'pending'])
})

test('a person fixes the payment and resumes: each recipient gets the message once', async () => {
  const line = await officialNumber(w, '12025550437')
  await line.cause('payment_missing', 1)
  const id = await offer([line])
  await paused(id)
  expect((await w.api('POST', `/v1/campaigns/${id}/resume`)).status).toBe(200)
  await until('completed', async () => (await campaign(w, id)).status === 'completed')
  expect((await campaign(w, id)).counts).toMatchObject({ sent: 3, failed: 0 })
  expect(await issuesOf(line.id)).toEqual([])
})

test('a card that expires midway: accepted but undelivered recipients get the message once it is replaced', async () => {
  const line = await officialNumber(w, '12025550440')
  graph.expireCard(line.phoneNumberId, 'status')
  const id = await offer([line])
  expect((await paused(id)).pause_reason).toBe('payment')
  await until('reported', async () => (await statuses(id)).every((status) => status === 'pending'))
  await expectCountsRight(w, id)
  graph.replaceCard(line.phoneNumberId)
  expect((await w.api('POST', `/v1/campaigns/${id}/resume`)).status).toBe(200)
  await until('completed', async () => (await campaign(w, id)).status === 'completed')
  expect((await campaign(w, id)).counts).toMatchObject({ sent: 3, failed: 0 })
  await until('read', async () => (await statuses(id)).every((status) => status === 'read'))
  await expectCountsRight(w, id)
  const received = await w.rows('SELECT id FROM sandbox_messages WHERE author = :number', { number: '12025550440' })
  expect(received).toHaveLength(3)
})

test('a held number’s recipients go to another one', async () => {
  const [held, good] = [await officialNumber(w, '12025550438'), await officialNumber(w, '12025550439')]
  await held.cause('display_name_pending')
  const id = await offer([held, good])
  await until('completed', async () => (await campaign(w, id)).status === 'completed')
  expect((await campaign(w, id)).counts).toMatchObject({ sent: 3, failed: 0 })
  expect(new Set((await recipientsOf(w, id)).map(({ instance }) => instance))).toEqual(new Set([good.id]))
})

describe('a country to which Meta forbids a business to send', () => {
  const ABROAD = ['34600123451', '34600123452', '34600123453', '34600123454']
  const oneByOne = { ...SWIFT, minDelay: 1, maxDelay: 1 }

  test('is tried once: its other recipients are skipped, and everybody else gets the message', async () => {
    const line = await officialNumber(w, '12025550441')
    graph.forbidCountries(line.phoneNumberId, ['ES'])
    const phones = [...ABROAD, ...PEOPLE]
    const id = await campaignOf(w, { instances: [line], phones, messages: [TEMPLATE], config: oneByOne })
    await until('completed', async () => (await campaign(w, id)).status === 'completed')
    expect((await campaign(w, id)).counts).toMatchObject({ sent: 3, failed: 1, skipped: 3 })
    const { data: people } = (await w.api('GET', `/v1/campaigns/${id}/recipients?status=skipped`)).body
    expect(
      people.map(({ phone, skip_reason: reason }: Record<string, string>) => [phone?.slice(0, 2), reason]),
    ).toEqual(Array(3).fill(['34', 'country_refused']))
    await expectCountsRight(w, id)
  }, 60_000)

  test('is sent to by a number of another business', async () => {
    const [refused, good] = [await officialNumber(w, '12025550442'), await officialNumber(w, '12025550443')]
    graph.forbidCountries(refused.phoneNumberId, ['ES'])
    const id = await campaignOf(w, {
      ...{ instances: [refused, good], phones: ABROAD, messages: [TEMPLATE], config: oneByOne },
    })
    await until('completed', async () => (await campaign(w, id)).status === 'completed')
    expect((await campaign(w, id)).counts).toMatchObject({ sent: 3, failed: 1, skipped: 0 })
    await expectCountsRight(w, id)
  }, 60_000)
})
