import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { officialNumber, type OfficialNumber } from '../../support/official-number.ts'
import { until } from '../../support/service-process.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'
import { campaign, campaignOf, phonesFrom, receivedBy, recipientsOf } from './campaign-world.ts'

const PEOPLE = Array.from({ length: 40 }, (_, index) => `120255503${String(index).padStart(2, '0')}`)
/** Slow enough to be caught in the middle. */
const PACE = { minDelay: 1, maxDelay: 1, pauseAfter: null, window: null, skipIfContactedHours: null, typing: false }

let w: World
let graph: GraphSimulator
beforeAll(async () => {
  w = await world({
    ...{ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } },
    onGraph: (made) => (graph = made),
  })
})
afterAll(() => w.close())

async function approvedTemplate({ id: instance }: OfficialNumber, name: string): Promise<string> {
  const components = [{ type: 'BODY', text: 'The garden is open again.' }]
  const path = `/v1/instances/${instance}/templates`
  const { id } = (await w.api('POST', path, { name, language: 'en', category: 'UTILITY', components })).body
  await until('approved', async () => (await w.api('GET', `${path}/${id}`)).body.status === 'APPROVED')
  return id
}
async function running(number: string, name: string) {
  const line = await officialNumber(w, number)
  const template = await approvedTemplate(line, name)
  const payload = { type: 'template', template: { name, language: { code: 'en' } } }
  const messages = [{ cloud_api: payload }]
  const id = await campaignOf(w, { instances: [line], phones: PEOPLE, messages, config: PACE })
  await until('sending', async () => (await campaign(w, id)).counts.sent > 0)
  return { id, line, template, at: graph.templates(line.phoneNumberId) }
}
const inState = (id: string, status: string) =>
  until(status, async () => {
    const found = await campaign(w, id)
    return found.status === status ? found : undefined
  })
const failed = async (id: string) => (await recipientsOf(w, id)).filter(({ status }) => status === 'failed').length

test.each([
  ['FIRST_PAUSE', '12025550441', 'first_pause'],
  ['SECOND_PAUSE', '12025550442', 'second_pause'],
] as const)('%s holds a campaign until the end that Meta names', async (title, number, name) => {
  const { id, template, at } = await running(number, name)
  const untilMs = await at.pause(template, title)
  const held = await inState(id, 'paused')
  expect([held.pause_reason, held.next_send_at]).toEqual(['template', new Date(untilMs).toISOString()])
  expect(await failed(id)).toBe(0)
})

test('a campaign that starts during the pause waits for the same end', async () => {
  const { line, template, at } = await running('12025550443', 'later_start')
  const untilMs = await at.pause(template, 'SECOND_PAUSE')
  const payload = { type: 'template', template: { name: 'later_start', language: { code: 'en' } } }
  const second = { instances: [line], phones: PEOPLE.slice(0, 3), messages: [{ cloud_api: payload }], config: PACE }
  const id = await campaignOf(w, second)
  expect((await inState(id, 'paused')).next_send_at).toBe(new Date(untilMs).toISOString())
})

test('a campaign continues when Meta ends the pause early, and other templates do not hold it', async () => {
  const { id, line, template, at } = await running('12025550444', 'early_end')
  await at.pause(await approvedTemplate(line, 'not_this_one'), 'FIRST_PAUSE')
  await at.pause(template, 'FIRST_PAUSE')
  await inState(id, 'paused')
  await at.endPause(template)
  const { counts } = await inState(id, 'running')
  await until('sending again', async () => (await campaign(w, id)).counts.sent > counts.sent)
  expect(await failed(id)).toBe(0)
})

test('a disabled template holds a campaign until a person acts, whatever Meta says later', async () => {
  const { id, template, at } = await running('12025550445', 'third_time')
  await at.pause(template, 'SECOND_PAUSE')
  await inState(id, 'paused')
  await at.disable(template)
  await until('no end', async () => (await campaign(w, id)).next_send_at === null)
  await at.endPause(template)
  await w.quiet()
  expect(await campaign(w, id)).toMatchObject({ status: 'paused', pause_reason: 'template', next_send_at: null })
  expect(await failed(id)).toBe(0)
})

test('an archived template holds a campaign, and the list and the preview say when Meta deletes it', async () => {
  const { id, line, template, at } = await running('12025550450', 'nobody_used_it')
  await at.archive(template)
  expect(await inState(id, 'paused')).toMatchObject({ pause_reason: 'template', next_send_at: null })
  const read = async () => (await w.api('GET', `/v1/instances/${line.id}/templates/${template}`)).body
  const { status, deletes_at: deletesAt } = await read()
  expect(status).toBe('ARCHIVED')
  expect(Math.abs(Date.parse(deletesAt) - Date.now() - 28 * 86_400_000)).toBeLessThan(60_000)
  const payload = { type: 'template', template: { name: 'nobody_used_it', language: { code: 'en' } } }
  const preview = async () =>
    (
      await w.api('POST', '/v1/campaigns/preview', {
        ...{ instance_ids: [line.id], recipients: [{ phone: '12025550399' }], messages: [{ cloud_api: payload }] },
      })
    ).body.risks.filter(({ code }: { code: string }) => code.startsWith('template_'))
  expect(await preview()).toMatchObject([
    { code: 'template_archived_until', severity: 'warning', params: { name: 'nobody_used_it', at: deletesAt } },
  ])
  await at.unarchive(template)
  await until('approved', async () => (await read()).status === 'APPROVED')
  await until('no warning', async () => (await preview()).length === 0)
  expect(await read()).toMatchObject({ deletes_at: null })
})

describe('messages that Meta held to assess the template, and dropped', () => {
  /** What the phones of these people got. */
  const received = async (phones: readonly string[]) => {
    const all = await receivedBy(w)
    return phones.map((phone) => all.get(phone) ?? 0)
  }
  const phonesOf = (first: number) => phonesFrom(6, first)
  const swift = { ...PACE, minDelay: 0, maxDelay: 0 }

  async function dropped(number: string, name: string, phones: readonly string[]) {
    const line = await officialNumber(w, number)
    const template = await approvedTemplate(line, name)
    graph.assessments.begin(template)
    const payload = { type: 'template', template: { name, language: { code: 'en' } } }
    const id = await campaignOf(w, { instances: [line], phones, messages: [{ cloud_api: payload }], config: swift })
    await until('taken', async () => (await campaign(w, id)).counts.sent === phones.length)
    return { id, line, template, at: graph.templates(line.phoneNumberId) }
  }

  test('wait for the end of the pause, and are then sent once, although the campaign was complete', async () => {
    const phones = phonesOf(12_025_570_000)
    const { id, template, at } = await dropped('12025550447', 'dropped_all', phones)
    await inState(id, 'completed')
    await at.failAssessment(template)
    const held = await inState(id, 'paused')
    await until('put back', async () => (await campaign(w, id)).counts.pending === phones.length)
    expect(held.pause_reason).toBe('template')
    expect((await campaign(w, id)).counts).toMatchObject({ sent: 0, failed: 0, unknown: 0 })
    expect(await received(phones)).toEqual(phones.map(() => 0))

    await at.endPause(template)
    await inState(id, 'completed')
    await until('delivered', async () => (await campaign(w, id)).counts.delivered === phones.length)
    expect((await campaign(w, id)).counts).toMatchObject({ pending: 0, failed: 0, sent: phones.length })
    expect(await received(phones)).toEqual(phones.map(() => 1))
  })

  test('after somebody has ended the pause, are sent a minute later', async () => {
    const phones = phonesOf(12_025_572_000)
    const { id, template, line } = await dropped('12025550449', 'dropped_after', phones)
    await inState(id, 'completed')
    await graph.templates(line.phoneNumberId).endPause(template)
    const before = Date.now()
    await graph.assessments.fail(template)
    const held = await inState(id, 'paused')
    expect(held.pause_reason).toBe('template')
    expect(Date.parse(held.next_send_at) - before).toBeLessThan(70_000)
  })

  test('are not sent again by a campaign that was canceled', async () => {
    const phones = phonesOf(12_025_571_000)
    const { id, template, at } = await dropped('12025550448', 'dropped_late', phones)
    await inState(id, 'completed')
    await at.failAssessment(template)
    await inState(id, 'paused')
    await until('put back', async () => (await campaign(w, id)).counts.pending === phones.length)
    expect((await w.api('POST', `/v1/campaigns/${id}/cancel?confirm=true`)).status).toBe(200)
    await at.endPause(template)
    await w.quiet()
    expect((await campaign(w, id)).status).toBe('canceled')
    expect(await received(phones)).toEqual(phones.map(() => 0))
  })
})

test('a campaign continues at the exact end of the pause', async () => {
  const made: { graph?: GraphSimulator } = {}
  const still = await worldOfTest({
    settings: { graphBaseUrl: 'sandbox', network: 'live' },
    onGraph: (simulator) => (made.graph = simulator),
  })
  const line = await officialNumber(still, '12025550446')
  const components = [{ type: 'BODY', text: 'The garden is open again.' }]
  const draft = { name: 'exact_end', language: 'en', category: 'UTILITY', components }
  const { id: template } = (await still.api('POST', `/v1/instances/${line.id}/templates`, draft)).body
  await still.pass(2_000)
  const untilMs = (await made.graph?.templates(line.phoneNumberId).pause(template, 'SECOND_PAUSE')) ?? 0
  const payload = { type: 'template', template: { name: 'exact_end', language: { code: 'en' } } }
  const wish = { instances: [line], phones: PEOPLE.slice(0, 2), messages: [{ cloud_api: payload }], config: PACE }
  const id = await campaignOf(still, wish)
  await still.pass(2_000)
  expect(await campaign(still, id)).toMatchObject({ status: 'paused', pause_reason: 'template' })
  still.clock.suspend(untilMs - still.clock.now() - 3_000)
  await still.pass(2_000)
  expect((await campaign(still, id)).counts).toMatchObject({ pending: 2 })
  await still.pass(3_000)
  expect((await campaign(still, id)).counts).toMatchObject({ pending: 0, failed: 0 })
})
