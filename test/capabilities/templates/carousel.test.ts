import { beforeEach, describe, expect, test } from 'vitest'
import { sampleOf } from '../../../main/engines/sandbox/media.ts'
import { asConsole } from '../../support/console.ts'
import { officialNumber } from '../../support/official-number.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const PERSON = '12025550191'
const NUMBER = '12025550491'
const BUTTONS = [
  { type: 'QUICK_REPLY', text: 'Tell me more' },
  { type: 'URL', text: 'Open', url: 'https://example.com/{{1}}', example: ['https://example.com/1'] },
]
const HANDLE = { example: { header_handle: ['4::aW1hZ2UvcG5n:10'] } }

type Part = Readonly<Record<string, unknown>>
const header = (more: object = HANDLE): Part => ({ type: 'HEADER', format: 'IMAGE', ...more })
const body = (text = 'From {{1}} dollars.'): Part => ({
  ...{ type: 'BODY', text, ...(text.includes('{{') && { example: { body_text: [['9']] } }) },
})
const card = (...components: Part[]) => ({ components })
const usual = (more: object = HANDLE) => card(header(more), body(), { type: 'BUTTONS', buttons: BUTTONS })
const carousel = (cards: readonly object[], more: readonly Part[] = []) => [
  { type: 'BODY', text: 'New for you, {{1}}, this week.', example: { body_text: [['Ana']] } },
  { type: 'CAROUSEL', cards },
  ...more,
]
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

const upload = async () =>
  (await w.wire('POST', '/v1/media', sampleOf('image').bytes, { headers: { 'content-type': 'image/png' } })).body
    .media_id as string

let w: World
let line: string
let path: string
const create = (components: object, more: object = {}) =>
  w.api('POST', path, { name: 'offers', language: 'en', category: 'MARKETING', components, ...more })

describe('the sandbox', () => {
  beforeEach(async () => {
    w = await worldOfTest()
    line = (await w.official(NUMBER)).id
    path = `/v1/instances/${line}/templates`
  })

  test.each([2, 10])('accepts %d cards', async (count) => {
    const components = carousel(times(count, usual))
    const made = await create(components)
    expect([made.status, made.body.components]).toEqual([201, components])
  })

  const text = (length: number) => 'a'.repeat(length)
  test.each<[string, object, object?]>([
    ['one card', carousel([usual()])],
    ['eleven cards', carousel(times(11, usual))],
    ['another category', carousel(times(2, usual)), { category: 'UTILITY' }],
    ['a header beside the cards', carousel(times(2, usual), [header()])],
    ['a footer beside the cards', carousel(times(2, usual), [{ type: 'FOOTER', text: 'Bye' }])],
    ['buttons beside the cards', carousel(times(2, usual), [{ type: 'BUTTONS', buttons: BUTTONS }])],
    ['no text', [{ type: 'CAROUSEL', cards: times(2, usual) }]],
    ['a card without a header', carousel([usual(), card(body(), { type: 'BUTTONS', buttons: BUTTONS })])],
    ['a card with a text in its header', carousel(times(2, () => card({ type: 'HEADER', format: 'TEXT', text: 'A' })))],
    ['a card without a sample', carousel(times(2, () => card(header({}))))],
    ['a body of 161 characters', carousel(times(2, () => card(header(), body(text(161)))))],
    ['a body with three line breaks', carousel(times(2, () => card(header(), body('a\nb\nc\nd'))))],
    ['three buttons', carousel(times(2, () => card(header(), { type: 'BUTTONS', buttons: [...BUTTONS, BUTTONS[0]] })))],
    [
      'a button that cards do not have',
      carousel(times(2, () => card(header(), { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', example: 'A' }] }))),
    ],
    ['cards of different parts', carousel([usual(), card(header(), { type: 'BUTTONS', buttons: BUTTONS })])],
    [
      'cards with different buttons',
      carousel([usual(), card(header(), body(), { type: 'BUTTONS', buttons: BUTTONS.slice(0, 1) })]),
    ],
    [
      'cards with different headers',
      carousel([usual(), card(header({ format: 'VIDEO', ...HANDLE }), body(), { type: 'BUTTONS', buttons: BUTTONS })]),
    ],
  ])('refuses %s', async (_, components, more = {}) => {
    const { status, body: said } = await create(components, more)
    expect([status, said.error.code]).toEqual([409, 'invalid_state'])
    expect((await w.api('GET', path)).body.data.some(({ name }: { name: string }) => name === 'offers')).toBe(false)
  })

  test('a card keeps its file while another one gets a new file', async () => {
    const { body: made } = await create(carousel(times(2, usual)))
    await w.pass(3_000)
    const body = { components: made.components, card_media: [null, { media_id: await upload() }] }
    const changed = await w.api('PATCH', `${path}/${made.id}`, body)
    expect(changed.status, changed.text).toBe(200)
    const [kept, fresh] = changed.body.components[1].cards.map(({ components }: any) => components[0].example)
    expect(kept).toEqual(HANDLE.example)
    expect(fresh.header_handle).toEqual([expect.stringMatching(/^4::(?!aW1hZ2UvcG5n:10$)/)])
  })

  test('accepts cards with only a picture, and a body of 160 characters', async () => {
    expect((await create(carousel(times(2, () => card(header(), body(text(160))))))).status).toBe(201)
    expect((await create(carousel(times(2, () => card(header()))), { name: 'plain' })).status).toBe(201)
  })
})

describe('a number at the simulated Meta', () => {
  beforeEach(async () => {
    w = await worldOfTest({ settings: { graphBaseUrl: 'sandbox', network: 'live' } })
    line = (await officialNumber(w, NUMBER)).id
    path = `/v1/instances/${line}/templates`
  })

  const values = (index: number, price = '9'): Part => ({
    card_index: index,
    components: [
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.png' } }] },
      { type: 'body', parameters: [{ type: 'text', text: price }] },
      {
        type: 'button',
        sub_type: 'quick_reply',
        index: '0',
        parameters: [{ type: 'payload', payload: `more-${index}` }],
      },
      { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'a' }] },
    ],
  })
  const send = (cards: readonly object[]) => {
    const components = [
      { type: 'body', parameters: [{ type: 'text', text: 'Ana' }] },
      { type: 'carousel', cards },
    ]
    return w.api('POST', `/v1/instances/${line}/messages`, {
      ...{
        to: PERSON,
        cloud_api: { type: 'template', template: { name: 'offers', language: { code: 'en' }, components } },
      },
    })
  }

  test('a template with a file for each card is approved, edited and sent; Meta refuses values that do not fit', async () => {
    const files = [{ media_id: await upload() }, { media_id: await upload() }]
    const plain = carousel(times(2, () => usual({})))
    const short = await create(plain, { card_media: [...files, ...files] })
    expect([short.status, short.body.error.code]).toEqual([400, 'validation_error'])
    const made = await create(plain, { card_media: files })
    expect(made.status).toBe(201)
    await w.pass(2_500)
    const found = (await w.api('GET', `${path}/${made.body.id}`)).body
    expect(found.status).toBe('APPROVED')
    const samples = found.components[1].cards.map(({ components }: any) => components[0].example.header_handle[0])
    expect(samples.every((address: string) => address.startsWith('http'))).toBe(true)

    const wrong = [
      [values(0)],
      [values(0), values(0)],
      [values(0), values(2)],
      [values(0), { card_index: 1, components: [] }],
      [values(0), values(1, '')],
      [values(0), values(1), values(2)],
    ]
    for (const cards of wrong) expect((await send(cards)).status).toBe(400)
    expect((await send([values(0), values(1)])).status).toBe(201)

    // What was read is submitted again with its files.
    const changed = await w.api('PATCH', `${path}/${made.body.id}`, { components: found.components })
    expect([changed.status, changed.body.status]).toEqual([200, 'PENDING'])
  })

  test('the phone shows the cards, the Inbox the sent message, and a tap says which card it was', async () => {
    const files = [{ media_id: await upload() }, { media_id: await upload() }]
    await create(carousel(times(2, () => usual({}))), { card_media: files })
    await w.pass(2_500)
    const sent = await send([values(0), values(1, '12')])
    expect(sent.status, sent.text).toBe(201)
    await w.pass(3_000)
    const phone = `/v1/sandbox/phones/${PERSON}/messages`
    const [received] = (await w.api('GET', phone)).body.data
    const shown = (index: number, price: string) => ({
      header_media: { type: 'image', url: 'https://example.com/a.png', filename: null },
      ...{ text: `From ${price} dollars.`, button: 'Open', url: 'https://example.com/a' },
      buttons: [{ id: `more-${index}`, title: 'Tell me more' }],
    })
    expect(received).toMatchObject({
      ...{ type: 'template', text: 'New for you, Ana, this week.' },
      content: { type: 'interactive', kind: 'template', buttons: [], cards: [shown(0, '9'), shown(1, '12')] },
    })
    expect((await w.api('POST', `${phone}/${received.id}/tap`, { id: 'more-2' })).status).toBe(400)
    expect((await w.api('POST', `${phone}/${received.id}/tap`, { id: 'more-1' })).status).toBe(201)
    await w.pass(3_000)
    const messages = (await asConsole(w)('GET', `/v1/instances/${line}/conversations/${PERSON}/messages`)).body.data
    expect(messages.find(({ direction }: any) => direction === 'in')).toMatchObject({
      ...{ text: 'Tell me more', quoted_message_id: sent.body.message_id },
      content: { type: 'button_reply', id: 'more-1', title: 'Tell me more' },
    })
    expect(messages.find(({ direction }: any) => direction === 'out').content).toMatchObject({
      ...{ type: 'template', name: 'offers', language: 'en' },
      components: [
        { type: 'body', parameters: [{ type: 'text', text: 'Ana' }] },
        { type: 'carousel', cards: [values(0), values(1, '12')] },
      ],
    })
  })
})
