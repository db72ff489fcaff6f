import { expect, test } from 'vitest'
import { systemClock } from '../../../main/kernel/clock.ts'
import { until } from '../../support/service-process.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { campaign, phonesFrom } from './campaign-world.ts'

/** Menus, links and forms, filled from the columns of the list. */

const PEOPLE = phonesFrom(3, 12_025_572_000)
const PACE = { minDelay: 1, maxDelay: 1, pauseAfter: null, window: null, skipIfContactedHours: null, typing: false }
const MENU = {
  type: 'list',
  header: 'For {{name}}',
  body: '{Hello|Hi} {{name}}, what do you need in {{city|your city}}?',
  footer: 'Luz',
  button: 'Choose',
  sections: [{ rows: [{ id: 'visit', title: 'A visit in {{city|town}}', description: 'This week' }] }],
}

const recipients = PEOPLE.map((phone, at) => ({
  ...{ phone, name: `Person ${at}` },
  ...(at > 0 && { variables: { city: `City ${at}` } }),
}))

/** People who have just written may be answered without a template. */
async function wroteTo(w: World, line: { readonly phone_number: string }): Promise<void> {
  for (const number of PEOPLE) {
    await w.api('POST', '/v1/sandbox/phones', { number })
    const wrote = await w.api('POST', `/v1/sandbox/phones/${number}/messages`, { to: line.phone_number, text: 'Hello' })
    expect(wrote.status, wrote.text).toBe(201)
  }
}

const create = (w: World, line: string, message: object, more: object = {}) =>
  w.api('POST', '/v1/campaigns', {
    ...{ instance_ids: [line], name: 'Menus', messages: [message], recipients, config: PACE },
    ...more,
  })

test('each person gets a menu with their own texts, once', async () => {
  const w = await worldOfTest({ clock: systemClock })
  const line = await w.official('12025550461')
  await wroteTo(w, line)
  const made = await create(w, line.id, { interactive: MENU })
  expect(made.status, made.text).toBe(201)
  const id = made.body.campaign_id
  const preview = (await w.api('POST', '/v1/campaigns/preview', { campaign_id: id })).body
  expect(preview.samples[0]).toMatchObject({
    text: expect.stringMatching(/^(Hello|Hi) Person 0, what do you need in your city\?$/),
    payload: { type: 'interactive', interactive: { type: 'list', header: { type: 'text', text: 'For Person 0' } } },
  })
  expect((await w.api('POST', `/v1/campaigns/${id}/start`, {})).status).toBe(200)
  await until('completed', async () => (await campaign(w, id)).status === 'completed')
  expect((await campaign(w, id)).messages).toEqual([{ interactive: MENU }])
  for (const [at, phone] of PEOPLE.entries()) {
    const received = (await w.api('GET', `/v1/sandbox/phones/${phone}/messages`)).body.data.filter(
      ({ from }: { from: string }) => from !== phone,
    )
    expect(received).toHaveLength(1)
    expect(received[0].content).toMatchObject({
      ...{ type: 'interactive', kind: 'list', header: `For Person ${at}`, footer: 'Luz', button: 'Choose' },
      sections: [{ rows: [{ id: 'visit', title: at === 0 ? 'A visit in town' : `A visit in City ${at}` }] }],
    })
  }
})

test.each([
  ['buttons beside it', { interactive: MENU, buttons: [{ id: '1', text: 'Yes' }] }, 400, 'buttons'],
  ['a text beside it', { interactive: MENU, text: 'Hello' }, 400, 'text and interactive'],
  ['a menu without rows', { interactive: { ...MENU, sections: undefined } }, 400, 'sections'],
  ['braces that are not closed', { interactive: { ...MENU, body: 'Hello {{name' } }, 400, 'without its }'],
  ['a link without an address', { interactive: { type: 'cta_url', body: 'Look', button: 'Open' } }, 400, 'url'],
])('refused with the field: %s', async (_what, message, status, words) => {
  const w = await worldOfTest()
  const line = await w.official('12025550462')
  const refused = await create(w, line.id, message)
  expect([refused.status, refused.body.error.code]).toEqual([status, 'validation_error'])
  expect(refused.body.error.message).toContain(words)
})

test('a link can come from a column', async () => {
  const w = await worldOfTest()
  const line = await w.official('12025550463')
  const link = { type: 'cta_url', body: 'Look, {{name}}', button: 'Open', url: '{{shop}}' }
  expect((await create(w, line.id, { interactive: link })).status).toBe(201)
})

test('a linked phone shows no menus', async () => {
  const w = await worldOfTest()
  const refused = await create(w, (await w.pair()).id, { interactive: MENU })
  expect([refused.status, refused.body.error.code]).toEqual([400, 'engine_mismatch'])
})

test('people with missing or too long values for the menu get no message', async () => {
  const w = await worldOfTest({ clock: systemClock })
  const line = await w.official('12025550464')
  await wroteTo(w, line)
  const row = { id: 'visit', title: '{{place}}' }
  const menu = { ...MENU, body: 'Where?', header: undefined, sections: [{ rows: [row] }] }
  const places = [{}, { place: 'Old town' }, { place: 'x'.repeat(25) }]
  const made = await create(
    w,
    line.id,
    { interactive: menu },
    { start: true, recipients: PEOPLE.map((phone, at) => ({ phone, variables: places[at] })) },
  )
  const id = made.body.campaign_id
  await until('completed', async () => (await campaign(w, id)).status === 'completed')
  const { data } = (await w.api('GET', `/v1/campaigns/${id}/recipients`)).body
  const ends = new Map(data.map((one: Record<string, unknown>) => [one['phone'], one['skip_reason']]))
  expect(PEOPLE.map((phone) => ends.get(phone))).toEqual(['incomplete', null, 'too_long'])
})
