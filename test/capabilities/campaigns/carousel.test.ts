import { expect, test } from 'vitest'
import { systemClock } from '../../../main/kernel/clock.ts'
import { sampleOf } from '../../../main/engines/sandbox/media.ts'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { asConsole } from '../../support/console.ts'
import { officialNumber } from '../../support/official-number.ts'
import { until } from '../../support/service-process.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { campaign, phonesFrom, recipientsOf } from './campaign-world.ts'

/** Cards whose texts and links are filled from the columns of the list. */

const PEOPLE = phonesFrom(12, 12_025_571_000)
const PACE = { minDelay: 1, maxDelay: 1, pauseAfter: null, window: null, skipIfContactedHours: null, typing: false }
const CARD = {
  components: [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'From {{1}} dollars.', example: { body_text: [['9']] } },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url: 'https://luz.example/{{1}}', example: ['a'] }] },
  ],
}
const valuesOf = (index: number) => ({
  card_index: index,
  components: [
    {
      type: 'header',
      parameters: [{ type: 'image', image: { link: `https://luz.example/{{picture}}-${index}.png` } }],
    },
    { type: 'body', parameters: [{ type: 'text', text: index === 0 ? '{{rose}}' : '{{tulip}}' }] },
    { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '{{rose}}' }] },
  ],
})
const PAYLOAD = {
  type: 'template',
  template: {
    ...{ name: 'plants', language: { code: 'en' } },
    components: [
      { type: 'body', parameters: [{ type: 'text', text: '{{name}}' }] },
      { type: 'carousel', cards: [valuesOf(0), valuesOf(1)] },
    ],
  },
}

async function approved(w: World, line: string): Promise<string> {
  const upload = async () =>
    (await w.wire('POST', '/v1/media', sampleOf('image').bytes, { headers: { 'content-type': 'image/png' } })).body
  const components = [
    { type: 'BODY', text: 'New for you, {{1}}, this week.', example: { body_text: [['Ana']] } },
    { type: 'CAROUSEL', cards: [CARD, CARD] },
  ]
  const files = [await upload(), await upload()].map(({ media_id }) => ({ media_id }))
  const draft = { name: 'plants', language: 'en', category: 'MARKETING', components, card_media: files }
  const path = `/v1/instances/${line}/templates`
  const made = await w.api('POST', path, draft)
  expect(made.status, made.text).toBe(201)
  await until('approved', async () => (await w.api('GET', `${path}/${made.body.id}`)).body.status === 'APPROVED')
  return made.body.id
}

const begin = async (w: World, line: string, more: object = {}) =>
  w.api('POST', '/v1/campaigns', {
    ...{ instance_ids: [line], name: 'Plants', messages: [{ cloud_api: PAYLOAD }], config: PACE, start: true },
    recipients: PEOPLE.map((phone, at) => ({
      ...{ phone, name: `Person ${at}` },
      variables: { rose: `1${at}`, tulip: `2${at}`, picture: `p${at}` },
    })),
    ...more,
  })

/** Each person has one message, whose cards are their own. */
async function expectSentOnce(w: World): Promise<void> {
  for (const [at, phone] of PEOPLE.entries()) {
    const received = (await w.api('GET', `/v1/sandbox/phones/${phone}/messages`)).body.data
    expect(received).toHaveLength(1)
    expect(received[0].text).toBe(`New for you, Person ${at}, this week.`)
    expect(received[0].content.cards).toMatchObject([
      {
        header_media: { type: 'image', url: `https://luz.example/p${at}-0.png` },
        ...{ text: `From 1${at} dollars.`, url: `https://luz.example/1${at}` },
      },
      { header_media: { url: `https://luz.example/p${at}-1.png` }, text: `From 2${at} dollars.` },
    ])
  }
}

test('at Meta, a campaign with a carousel is priced in advance, held while its template is paused, and sent once', async () => {
  let graph: GraphSimulator | undefined
  const w = await worldOfTest({
    ...{ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } },
    onGraph: (made) => (graph = made),
  })
  const { id: line, phoneNumberId } = await officialNumber(w, '12025550451')
  const template = await approved(w, line)
  const rate = { category: 'marketing', country: 'US', currency: 'usd', amount_micros: 25_000 }
  const dated = { ...rate, valid_from: '2025-10-01', source: 'Rate card of the agency' }
  expect((await asConsole(w)('PUT', '/v1/message-rates', dated)).status).toBe(200)
  const made = await begin(w, line, { start: false })
  expect(made.status, made.text).toBe(201)
  const id = made.body.campaign_id
  const preview = (await w.api('POST', '/v1/campaigns/preview', { campaign_id: id })).body
  expect([preview.total, preview.cost]).toMatchObject([12, { costs: [{ currency: 'usd', amount_micros: 300_000 }] }])
  await w.api('POST', `/v1/campaigns/${id}/start`, {})
  await until('sending', async () => (await campaign(w, id)).counts.sent > 2)
  const at = graph?.templates(phoneNumberId)
  await at?.pause(template, 'FIRST_PAUSE')
  const held = await until('paused', async () => {
    const found = await campaign(w, id)
    return found.status === 'paused' ? found : undefined
  })
  expect(held.pause_reason).toBe('template')
  expect((await recipientsOf(w, id)).filter(({ status }) => status === 'failed')).toEqual([])
  const sentBefore = held.counts.sent
  await at?.endPause(template)
  await until('completed', async () => (await campaign(w, id)).status === 'completed')
  const { counts } = await campaign(w, id)
  expect([sentBefore < 12, counts.sent, counts.failed]).toEqual([true, 12, 0])
  await expectSentOnce(w)
})

test('on the sandbox engine each person gets it once, also after a person has paused it', async () => {
  const w = await worldOfTest({ clock: systemClock })
  const line = (await w.official('12025550452')).id
  await approved(w, line)
  const made = await begin(w, line)
  const id = made.body.campaign_id
  await until('sending', async () => (await campaign(w, id)).counts.sent > 2)
  expect((await w.api('POST', `/v1/campaigns/${id}/pause`, {})).status).toBe(200)
  const { counts } = await campaign(w, id)
  expect(counts.sent).toBeLessThan(12)
  expect((await w.api('POST', `/v1/campaigns/${id}/resume`, {})).status).toBe(200)
  await until('completed', async () => (await campaign(w, id)).status === 'completed')
  await expectSentOnce(w)
})

test('a person without a value for a card gets no message', async () => {
  const w = await worldOfTest({ clock: systemClock })
  const line = (await w.official('12025550453')).id
  await approved(w, line)
  const recipients = [
    { phone: PEOPLE[0], name: 'Ana', variables: { rose: '10', tulip: '20', picture: 'a' } },
    { phone: PEOPLE[1], name: 'Ben', variables: { rose: '10', tulip: ' ', picture: 'a' } },
  ]
  const id = (await begin(w, line, { recipients })).body.campaign_id
  await until('completed', async () => (await campaign(w, id)).status === 'completed')
  expect((await recipientsOf(w, id)).map(({ status }) => status === 'skipped')).toEqual([false, true])
})
