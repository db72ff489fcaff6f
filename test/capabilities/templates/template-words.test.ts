import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { officialNumber } from '../../support/official-number.ts'
import { worldOfTest, type World } from '../../support/world.ts'

/** A message is stored with the words of its template, as the person saw them. */

const ANA = '12025550178'
const NUMBER = '12025550481'
const DRAFT = {
  ...{ name: 'delivery', language: 'en', category: 'UTILITY' },
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['7'] } },
    { type: 'BODY', text: 'Hello {{1}}, shall we deliver today?', example: { body_text: [['Ana']] } },
    { type: 'FOOTER', text: 'The garden shop' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Yes' },
        { type: 'QUICK_REPLY', text: 'No' },
        { type: 'URL', text: 'Track', url: 'https://garden.example/{{1}}', example: ['7'] },
        { type: 'PHONE_NUMBER', text: 'Call us', phone_number: '+12025550100' },
      ],
    },
  ],
}
const parameter = (value: string) => ({ type: 'text', text: value })
const VALUES = [
  { type: 'header', parameters: [parameter('1042')] },
  { type: 'body', parameters: [parameter('Ana')] },
  { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'today' }] },
  { type: 'button', sub_type: 'url', index: '2', parameters: [parameter('1042')] },
]
const WORDS = {
  text: 'Hello Ana, shall we deliver today?',
  content: {
    ...{ type: 'template', name: 'delivery', language: 'en', components: VALUES },
    shown: {
      ...{ header: 'Order 1042', footer: 'The garden shop' },
      buttons: [
        { type: 'quick_reply', title: 'Yes', id: 'today', url: null },
        { type: 'quick_reply', title: 'No', id: 'No', url: null },
        { type: 'url', title: 'Track', id: null, url: 'https://garden.example/1042' },
        { type: 'phone_number', title: 'Call us', id: null, url: null },
      ],
    },
  },
}

const overGraph = async (w: World): Promise<string> => (await officialNumber(w, NUMBER)).id
const directly = async (w: World): Promise<string> => (await w.official(NUMBER)).id
const ENGINES = [
  ['at the simulated Meta', overGraph, { graphBaseUrl: 'sandbox', network: 'live' }],
  ['of the sandbox', directly, {}],
] as const

async function approved(w: World, id: string, draft: object): Promise<string> {
  const path = `/v1/instances/${id}/templates`
  const made = await w.api('POST', path, draft)
  expect(made.status, made.text).toBe(201)
  await w.pass(3_000)
  expect((await w.api('GET', `${path}/${made.body.id}`)).body.status).toBe('APPROVED')
  return made.body.id
}
async function send(w: World, id: string, name: string, language: string, components: readonly object[] = []) {
  const template = { name, language: { code: language }, components }
  const cloud_api = { type: 'template', template }
  const sent = await w.api('POST', `/v1/instances/${id}/messages`, { to: ANA, cloud_api })
  expect(sent.status, sent.text).toBe(201)
  const { data } = (await asConsole(w)('GET', `/v1/instances/${id}/conversations/${ANA}/messages`)).body
  expect(data[0].message_id).toBe(sent.body.message_id)
  return data[0]
}

test.each(ENGINES)(
  'a message keeps the text that its person saw, also once the template is deleted: %s',
  async (_, connect, settings) => {
    const w = await worldOfTest({ settings })
    const id = await connect(w)
    const template = await approved(w, id, DRAFT)
    expect(await send(w, id, 'delivery', 'en', VALUES)).toMatchObject(WORDS)
    const removed = await w.api('DELETE', `/v1/instances/${id}/templates/${template}?confirm=true`)
    expect(removed.status, removed.text).toBe(204)
    const console = asConsole(w)
    const thread = await console('GET', `/v1/instances/${id}/conversations/${ANA}/messages`)
    expect(thread.body.data[0]).toMatchObject(WORDS)
    const list = await console('GET', `/v1/instances/${id}/conversations`)
    expect(list.body.data[0].last).toMatchObject({ type: 'template', text: WORDS.text })
  },
)

test.each(ENGINES)('a one-time code is hidden in the stored message: %s', async (_, connect, settings) => {
  const w = await worldOfTest({ settings })
  const id = await connect(w)
  await approved(w, id, {
    ...{ name: 'code', language: 'en', category: 'AUTHENTICATION' },
    components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }],
  })
  const message = await send(w, id, 'code', 'en', [
    { type: 'body', parameters: [parameter('493817')] },
    { type: 'button', sub_type: 'url', index: '0', parameters: [parameter('493817')] },
  ])
  expect(message.text).toBe('*••••••* is your verification code.')
  expect(message.content.shown.buttons).toMatchObject([{ title: 'Copy code' }])
  expect(JSON.stringify(message)).not.toContain('493817')
  const [received] = (await w.api('GET', `/v1/sandbox/phones/${ANA}/messages`)).body.data
  expect(received.text).toBe('*493817* is your verification code.')
  expect(await w.rows("SELECT id FROM messages WHERE content LIKE '%493817%' OR text LIKE '%493817%'")).toEqual([])
})

test('a message has the cards of a carousel', async () => {
  const w = await worldOfTest()
  const id = await directly(w)
  const card = (index: number) => ({
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW1hZ2UvcG5n:1'] } },
      { type: 'BODY', text: `Card ${index}: {{1}} dollars.`, example: { body_text: [['9']] } },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Buy' }] },
    ],
  })
  await approved(w, id, {
    ...{ name: 'plants', language: 'en', category: 'MARKETING' },
    components: [
      { type: 'BODY', text: 'New for you this week.' },
      { type: 'CAROUSEL', cards: [card(1), card(2)] },
    ],
  })
  const valuesOf = (index: number, price: string) => ({
    card_index: index,
    components: [
      { type: 'header', parameters: [{ type: 'image', image: { link: `https://luz.example/${index}.png` } }] },
      { type: 'body', parameters: [parameter(price)] },
    ],
  })
  const cards = [valuesOf(0, '11'), valuesOf(1, '12')]
  const message = await send(w, id, 'plants', 'en', [{ type: 'carousel', cards }])
  const shown = (index: number, text: string) => ({
    ...{ header_media: { type: 'image', url: `https://luz.example/${index}.png`, filename: null }, text },
    buttons: [{ type: 'quick_reply', title: 'Buy', id: 'Buy', url: null }],
  })
  expect(message).toMatchObject({
    text: 'New for you this week.',
    content: { shown: { cards: [shown(0, 'Card 1: 11 dollars.'), shown(1, 'Card 2: 12 dollars.')] } },
  })
})

test('a message with an unknown template is stored under its name', async () => {
  const w = await worldOfTest()
  const id = await directly(w)
  const message = await send(w, id, 'never_made', 'en')
  expect([message.text, message.content]).toEqual([
    '',
    { type: 'template', name: 'never_made', language: 'en', components: [] },
  ])
})
