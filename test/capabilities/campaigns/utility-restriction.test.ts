import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { until } from '../../support/service-process.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'
import { campaign, campaignOf, phonesFrom, receivedBy, recipientsOf } from './campaign-world.ts'

/** Slow enough to be caught in the middle. */
const PACE = { minDelay: 1, maxDelay: 1, pauseAfter: null, window: null, skipIfContactedHours: null, typing: false }
const SUSPENDED = 'RESTRICTED_UTILITY_TEMPLATES'
const DAY_MS = 86_400_000

let w: World
let graph: GraphSimulator
beforeAll(async () => {
  w = await world({
    ...{ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } },
    onGraph: (made) => (graph = made),
  })
})
afterAll(() => w.close())

/** Callbacks carry whole seconds. */
const inSevenDays = () => Math.floor(Date.now() / 1_000) * 1_000 + 7 * DAY_MS
const suspend = ({ phoneNumberId }: OfficialNumber, untilMs: number | null) =>
  graph.restrict(phoneNumberId, [{ type: SUSPENDED, untilMs }])

async function template({ id: instance }: OfficialNumber, name: string, category: string, more: object = {}) {
  const components = [{ type: 'BODY', text: 'The garden is open again.' }]
  const path = `/v1/instances/${instance}/templates`
  const made = await w.api('POST', path, { name, language: 'en', category, components, ...more })
  expect(made.status).toBe(201)
  await until('approved', async () => (await w.api('GET', `${path}/${made.body.id}`)).body.status === 'APPROVED')
  return made.body.id as string
}
const messageWith = (name: string, language = 'en') => ({
  cloud_api: { type: 'template', template: { name, language: { code: language } } },
})
const running = async (lines: readonly OfficialNumber[], name: string, phones: readonly string[]) => {
  const id = await campaignOf(w, { instances: lines, phones, messages: [messageWith(name)], config: PACE })
  await until('sending', async () => (await campaign(w, id)).counts.sent > 0)
  return id
}
const inState = (id: string, status: string, reason: string | null = null) =>
  until(
    `${status} ${reason}`,
    async () => {
      const found = await campaign(w, id)
      return found.status === status && found.pause_reason === reason ? found : undefined
    },
    20_000,
  )
const failed = async (id: string) => (await recipientsOf(w, id)).filter(({ status }) => status === 'failed').length

describe('while Meta suspends the utility templates of an account', () => {
  test('a campaign with one waits until Meta’s end date, although its template is a marketing template now', async () => {
    const line = await officialNumber(w, '12025550461')
    const id = await template(line, 'visit', 'UTILITY')
    const held = await running([line], 'visit', phonesFrom(40, 12_025_561_000))
    const untilMs = inSevenDays()
    await suspend(line, untilMs)
    const found = await inState(held, 'paused', 'utility_templates')
    expect(found.next_send_at).toBe(new Date(untilMs).toISOString())
    const read = async () => (await w.api('GET', `/v1/instances/${line.id}/templates/${id}`)).body
    await until('recategorized', async () => (await read()).category === 'MARKETING')
    expect((await read()).restriction).toEqual({ ends_at: new Date(untilMs).toISOString() })
    const { counts } = await campaign(w, held)
    await w.quiet()
    expect(await campaign(w, held)).toMatchObject({ status: 'paused', pause_reason: 'utility_templates', counts })
    expect(await failed(held)).toBe(0)
  })

  test('marketing and authentication templates and free answers are sent', async () => {
    const line = await officialNumber(w, '12025550462')
    await template(line, 'offer', 'MARKETING')
    const otp = { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }
    await template(line, 'code', 'AUTHENTICATION', { components: [{ type: 'BODY' }, otp] })
    await suspend(line, inSevenDays())
    const phones = phonesFrom(3, 12_025_562_000)
    const code = [
      { type: 'body', parameters: [{ type: 'text', text: '123456' }] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '123456' }] },
    ]
    const coded = {
      cloud_api: { type: 'template', template: { name: 'code', language: { code: 'en' }, components: code } },
    }
    for (const message of [messageWith('offer'), coded]) {
      const id = await campaignOf(w, { instances: [line], phones, messages: [message], config: PACE })
      expect((await inState(id, 'completed')).counts).toMatchObject({ failed: 0, pending: 0, sent: 3 })
    }
    const [person = ''] = phones
    await w.api('POST', `/v1/sandbox/phones/${person}/messages`, { to: '12025550462', text: 'Hello' })
    expect((await w.api('POST', `/v1/instances/${line.id}/messages`, { to: person, text: 'Hi' })).status).toBe(201)
  })

  test('a campaign continues once when Meta ends it early, and everybody gets one message', async () => {
    const line = await officialNumber(w, '12025550463')
    await template(line, 'lifted', 'UTILITY')
    const phones = phonesFrom(6, 12_025_563_000)
    const id = await running([line], 'lifted', phones)
    await suspend(line, null)
    expect((await inState(id, 'paused', 'utility_templates')).next_send_at).toBeNull()
    await graph.liftUtility(line.phoneNumberId)
    await inState(id, 'completed')
    expect((await campaign(w, id)).counts).toMatchObject({ failed: 0, unknown: 0, sent: phones.length })
    const received = await receivedBy(w)
    expect(phones.map((phone) => received.get(phone))).toEqual(phones.map(() => 1))
  })

  test('the numbers of other accounts send its share', async () => {
    const held = await officialNumber(w, '12025550464')
    const other = await officialNumber(w, '12025550465')
    await template(held, 'shared', 'UTILITY')
    await template(other, 'shared', 'UTILITY')
    await suspend(held, inSevenDays())
    const phones = phonesFrom(6, 12_025_564_000)
    const id = await campaignOf(w, {
      instances: [held, other],
      phones,
      messages: [messageWith('shared')],
      config: { ...PACE, minDelay: 0, maxDelay: 0 },
    })
    const done = await inState(id, 'completed')
    expect(done.counts).toMatchObject({ failed: 0, sent: phones.length })
    const by = new Map(
      done.per_instance.map((one: { instance_id: string; sent: number }) => [one.instance_id, one.sent]),
    )
    expect([by.get(held.id) ?? 0, by.get(other.id)]).toEqual([0, phones.length])
  })

  test('the preview says which numbers wait, and until when; a new utility template is refused', async () => {
    const line = await officialNumber(w, '12025550466')
    await template(line, 'planned', 'UTILITY')
    const untilMs = inSevenDays()
    await suspend(line, untilMs)
    const preview = await w.api('POST', '/v1/campaigns/preview', {
      ...{ instance_ids: [line.id], recipients: [{ phone: '12025565000' }], messages: [messageWith('planned')] },
      config: PACE,
    })
    const risks = preview.body.risks.filter(({ code }: { code: string }) => code === 'utility_templates')
    expect(risks).toMatchObject([{ severity: 'warning', params: { at: new Date(untilMs).toISOString() } }])
    const made = await w.api('POST', `/v1/instances/${line.id}/templates`, {
      ...{ name: 'one_more', language: 'en', category: 'UTILITY' },
      components: [{ type: 'BODY', text: 'The garden is open again.' }],
    })
    expect([made.status, made.body.error.code]).toEqual([409, 'invalid_state'])
  })
})

test('a campaign that waits for a suspension continues at its exact end', async () => {
  const made: { graph?: GraphSimulator } = {}
  const still = await worldOfTest({
    settings: { graphBaseUrl: 'sandbox', network: 'live' },
    onGraph: (simulator) => (made.graph = simulator),
  })
  const line = await officialNumber(still, '12025550467')
  // A sample of Meta keeps its category.
  const messages = [messageWith('hello_world', 'en_US')]
  const untilMs = still.clock.now() + 7 * DAY_MS
  await made.graph?.restrict(line.phoneNumberId, [{ type: SUSPENDED, untilMs }])
  await still.pass(1_000)
  const id = await campaignOf(still, {
    instances: [line],
    phones: phonesFrom(2, 12_025_566_000),
    messages,
    config: PACE,
  })
  await still.pass(2_000)
  expect(await campaign(still, id)).toMatchObject({ status: 'paused', pause_reason: 'utility_templates' })
  still.clock.suspend(untilMs - still.clock.now() - 3_000)
  await still.pass(2_000)
  expect((await campaign(still, id)).counts).toMatchObject({ pending: 2 })
  await still.pass(14_000)
  expect((await campaign(still, id)).counts).toMatchObject({ pending: 0, failed: 0 })
})
