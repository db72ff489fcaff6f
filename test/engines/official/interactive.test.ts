import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Interactive } from '../../../main/contract/interactive.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { interactiveFault, interactivePayload } from '../../../main/engines/official/interactive.ts'
import type { Tap } from '../../../main/engines/sandbox/index.ts'
import { until } from '../../support/service-process.ts'
import { ANA, graphWorld, type Credentials, type GraphWorld } from './graph-world.ts'

/** Messages with buttons, lists and forms, from our own words to Meta and back from a tap. */

const ROWS = [
  { id: 'am', title: 'Morning', description: '9 to 12' },
  { id: 'pm', title: 'Afternoon' },
]

const MESSAGES = {
  button: {
    ...{ type: 'button', header: 'Order 1042', body: 'Shall we deliver today?', footer: 'Reply any time' },
    buttons: [
      { id: 'yes', title: 'Yes' },
      { id: 'no', title: 'No' },
    ],
  },
  list: { type: 'list', body: 'When?', button: 'Choose', sections: [{ title: 'Today', rows: ROWS }] },
  cta_url: { type: 'cta_url', body: 'Track it', button: 'Open', url: 'https://shop.example/1042' },
  location_request_message: { type: 'location_request_message', body: 'Where are you?' },
  request_contact_info: { type: 'request_contact_info', body: 'May we have your number?' },
  address_message: { type: 'address_message', body: 'Where to?', country: 'IN' },
  flow: {
    type: 'flow',
    body: 'Book',
    button: 'Start',
    flow: { id: '77', token: 'tok', screen: 'DATES', data: { a: 1 } },
  },
  product: { type: 'product', catalog_id: '5', product_id: 'sku-1' },
  product_list: {
    ...{ type: 'product_list', header: 'New', body: 'This week', catalog_id: '5' },
    sections: [{ title: 'Shoes', product_ids: ['sku-1', 'sku-2'] }],
  },
} satisfies Record<Interactive['type'], Interactive>

const LINK = MESSAGES.cta_url
const PHOTO = { type: 'image', url: 'https://shop.example/x.png' } as const
const WITH_FILES = [
  { ...LINK, header_media: PHOTO },
  { ...LINK, header_media: { type: 'document', url: 'https://shop.example/x.pdf', filename: 'Offer.pdf' } },
  { type: 'button', body: 'Look', buttons: [{ id: '1', title: 'Nice' }], header_media: { ...PHOTO, type: 'video' } },
] satisfies readonly Interactive[]

const payloadOf = (message: Interactive) => interactivePayload(message)

describe('an inconsistent interactive message', () => {
  const { button, list, flow, product_list: products } = MESSAGES
  const yes = { id: 'yes', title: 'Yes' }
  test.each<[string, Interactive, string]>([
    ['no body', { type: 'button', buttons: [yes] }, 'body is missing'],
    ['no buttons', { type: 'button', body: 'x' }, 'buttons is missing'],
    ['a field of another type', { ...button, url: 'https://a.example' }, 'url is not allowed with type button'],
    ['a header where Meta shows none', { ...MESSAGES.product, header: 'x' }, 'header is not allowed with type product'],
    [
      'two buttons with one id',
      { ...button, buttons: [yes, { id: 'yes', title: 'No' }] },
      'buttons must have different ids',
    ],
    [
      'two buttons with one title',
      { ...button, buttons: [yes, { id: 'no', title: 'Yes ' }] },
      'buttons must have different titles',
    ],
    ['a button of spaces', { ...button, buttons: [{ id: 'a', title: ' ' }] }, 'buttons[0].title is empty'],
    ['a body of 1,025 characters', { ...button, body: 'x'.repeat(1_025) }, 'body must have at most 1024'],
    ['a list button of 21 characters', { ...list, button: 'x'.repeat(21) }, 'button must have at most 20'],
    ['a form button of 31 characters', { ...flow, button: 'x'.repeat(31) }, 'button must have at most 30'],
    ['a list without rows', { ...list, sections: [{ title: 'Today' }] }, 'sections[0].rows is missing'],
    [
      'sections without titles',
      { ...list, sections: [{ rows: [yes] }, { rows: [yes] }] },
      'sections[0].title is missing',
    ],
    [
      'eleven rows',
      { ...list, sections: [{ rows: Array.from({ length: 11 }, (_, i) => ({ id: `${i}`, title: 'Row' })) }] },
      'sections[].rows must have at most 10',
    ],
    ['two rows with one id', { ...list, sections: [{ rows: [yes, yes] }] }, 'sections[].rows must have different ids'],
    [
      'products in a list',
      { ...list, sections: [{ rows: [yes], product_ids: ['1'] }] },
      'sections[0].product_ids is not',
    ],
    [
      '31 products',
      { ...products, sections: [{ title: 'All', product_ids: Array.from({ length: 31 }, (_, i) => `${i}`) }] },
      'sections[].product_ids must have at most 30',
    ],
    ['a file and words above', { ...button, header_media: PHOTO }, 'header is not allowed with header_media'],
    ['a file above a list', { ...list, header_media: PHOTO }, 'header_media is not allowed with type list'],
    ['a file without an address', { ...LINK, header_media: { ...PHOTO, url: 'x.png' } }, 'header_media.url must be'],
    [
      'a picture with a name',
      { ...LINK, header_media: { ...PHOTO, filename: 'x.png' } },
      'header_media.filename is for documents',
    ],
    ['a link that is none', { ...MESSAGES.cta_url, url: 'javascript:alert(1)' }, 'url must be an address'],
    ['a form with id and name', { ...flow, flow: { id: '1', name: 'a' } }, 'flow.id is missing'],
    ['values without a screen', { ...flow, flow: { id: '1', data: { a: 1 } } }, 'flow.screen is missing'],
    ['half a character', { ...button, body: '\ud83d' }, 'body contains a lone surrogate'],
  ])('%s', (_name, message, expected) => {
    const fault = interactiveFault(message)
    expect(`${fault?.field} ${fault?.message}`).toContain(expected)
  })

  test.each([...Object.values(MESSAGES), ...WITH_FILES])('$type with $header_media.type is consistent', (message) => {
    expect(interactiveFault(message)).toBeUndefined()
  })

  test('a list may have 4,096 characters', () => {
    expect(interactiveFault({ ...list, body: 'x'.repeat(4_096) })).toBeUndefined()
  })
})

describe('interactive messages over the simulated Graph API', () => {
  let world: GraphWorld
  let instance: EngineInstance
  let credentials: Credentials
  beforeAll(async () => {
    world = await graphWorld()
    credentials = await world.number('12025550200')
    instance = await world.connect(credentials)
  })
  afterAll(() => world.close())

  test('the typing indicator is sent with the read mark, and Meta accepts only one kind of it', async () => {
    const said = await world.network.speak(world.accountId, ANA, {
      ...{ to: '12025550200', group: null, content: { type: 'text', text: 'Hi' } },
    })
    const ask = async (typing: object) => {
      const reply = await fetch(`${world.graph.url()}/v26.0/${credentials.phoneNumberId}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${credentials.accessToken}` },
        body: JSON.stringify({
          ...{ messaging_product: 'whatsapp', status: 'read', message_id: said.message.id, typing_indicator: typing },
        }),
      })
      return reply.status
    }
    expect(await ask({ type: 'text' })).toBe(200)
    expect(await ask({ type: 'audio' })).toBe(400)
  })

  const send = (payload: object) => world.send(instance, { kind: 'cloud_api', to: ANA, payload })

  test.each([...Object.values(MESSAGES), ...WITH_FILES])(
    'Meta accepts $type with $header_media.type',
    async (message) => {
      expect((await send(payloadOf(message))).outcome).toMatchObject({ kind: 'accepted' })
    },
  )

  const interactive = (type: string, action: object, more: object = {}) => ({
    type: 'interactive',
    interactive: { type, body: { text: 'x' }, action, ...more },
  })
  const reply = (id: string, title: string) => ({ type: 'reply', reply: { id, title } })
  const parameters = (name: string, given: object) => ({ name, parameters: given })

  test.each<[string, object]>([
    ['a type that is none', interactive('menu', {})],
    ['no action', { type: 'interactive', interactive: { type: 'button', body: { text: 'x' } } }],
    ['no body', { type: 'interactive', interactive: { type: 'button', action: { buttons: [reply('1', 'Yes')] } } }],
    ['no buttons', interactive('button', { buttons: [] })],
    ['a button without a title', interactive('button', { buttons: [reply('1', '')] })],
    ['buttons with one id', interactive('button', { buttons: [reply('1', 'Yes'), reply('1', 'No')] })],
    ['buttons with one title', interactive('button', { buttons: [reply('1', 'Yes'), reply('2', 'Yes')] })],
    ['an empty footer', interactive('button', { buttons: [reply('1', 'Yes')] }, { footer: { text: '' } })],
    [
      'a picture above a list',
      interactive(
        'list',
        { button: 'x', sections: [{ rows: ROWS }] },
        { header: { type: 'image', image: { id: '1' } } },
      ),
    ],
    [
      'a file at no address',
      interactive('button', { buttons: [reply('1', 'x')] }, { header: { type: 'image', image: { link: 'x.png' } } }),
    ],
    ['a list without a button', interactive('list', { sections: [{ rows: ROWS }] })],
    ['a section without rows', interactive('list', { button: 'x', sections: [{ title: 'x' }] })],
    [
      'sections without titles',
      interactive('list', { button: 'x', sections: [{ rows: ROWS }, { rows: [{ id: '3', title: 'x' }] }] }),
    ],
    ['rows with one id', interactive('list', { button: 'x', sections: [{ rows: [...ROWS, ...ROWS] }] })],
    ['a link without an address', interactive('cta_url', parameters('cta_url', { display_text: 'x', url: 'shop' }))],
    ['a request for a number with another action', interactive('request_contact_info', { name: 'contact_request' })],
    ['a location request with another action', interactive('location_request_message', { name: 'location' })],
    ['an address of Spain', interactive('address_message', parameters('address_message', { country: 'ES' }))],
    ['a form without a version', interactive('flow', parameters('flow', { flow_id: '1', flow_cta: 'x' }))],
    [
      'a form button that is too long',
      interactive('flow', parameters('flow', { flow_message_version: '3', flow_id: '1', flow_cta: 'x'.repeat(31) })),
    ],
    ['a product without a catalog', interactive('product', { product_retailer_id: '1' })],
    [
      'products without a header',
      interactive('product_list', {
        catalog_id: '1',
        sections: [{ title: 'x', product_items: [{ product_retailer_id: '1' }] }],
      }),
    ],
  ])('Meta refuses %s', async (_name, payload) => {
    expect((await send(payload)).outcome).toMatchObject({ kind: 'invalid', message: expect.stringContaining('100') })
  })

  test.each<[keyof typeof MESSAGES, Tap, object]>([
    ['button', { id: 'no' }, { type: 'text', text: 'No', content: { type: 'button_reply', id: 'no', title: 'No' } }],
    [
      'list',
      { id: 'am' },
      { text: 'Morning', content: { type: 'list_reply', id: 'am', title: 'Morning', description: '9 to 12' } },
    ],
    [
      'flow',
      { response: { date: '2026-03-01' } },
      { content: { type: 'flow_reply', id: 'tok', name: 'flow', response: { date: '2026-03-01', flow_token: 'tok' } } },
    ],
    [
      'address_message',
      { response: { values: { city: 'Pune' } } },
      { content: { type: 'flow_reply', name: 'address_message', response: { values: { city: 'Pune' } } } },
    ],
    [
      'location_request_message',
      { location: { latitude: -23.5, longitude: -46.6, name: 'Home' } },
      { type: 'location', content: { type: 'location', latitude: -23.5, longitude: -46.6, name: 'Home' } },
    ],
    [
      'request_contact_info',
      {},
      {
        type: 'contact',
        content: { type: 'contacts', contacts: [{ name: expect.any(String), numbers: [ANA], vcard: null }] },
      },
    ],
    [
      'product_list',
      { id: 'sku-2' },
      { content: { type: 'order', catalog_id: '5', items: [{ product_id: 'sku-2', quantity: 1, price: null }] } },
    ],
  ])('a tap on %s arrives as a reply to its message', async (type, tap, expected) => {
    const { outcome } = await send(payloadOf(MESSAGES[type]))
    if (outcome.kind !== 'accepted') throw new Error(outcome.kind)
    const id = outcome.engineMessageId
    await until('the phone has it', async () => {
      const messages = await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 50)
      return messages.some((message) => message.id === id)
    })
    await world.network.tap(world.accountId, ANA, id, tap)
    const answer = await until('the answer arrives', async () =>
      world.of(instance, 'received').find((each) => each.quotedEngineMessageId === id),
    )
    expect(answer).toMatchObject({ from: ANA, ...expected })
  })

  test('a missing button, a link and a text cannot be tapped', async () => {
    const tapped = async (payload: object, tap: Tap) => {
      const { outcome } = await send(payload)
      if (outcome.kind !== 'accepted') throw new Error(outcome.kind)
      return world.network.tap(world.accountId, ANA, outcome.engineMessageId, tap)
    }
    await expect(tapped(payloadOf(MESSAGES.button), { id: 'maybe' })).rejects.toMatchObject({
      code: 'validation_error',
    })
    await expect(tapped(payloadOf(MESSAGES.flow), { id: 'x' })).rejects.toMatchObject({ code: 'validation_error' })
    await expect(tapped(payloadOf(MESSAGES.cta_url), { id: 'x' })).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(tapped({ text: { body: 'x' } }, { id: 'x' })).rejects.toMatchObject({ code: 'invalid_state' })
  })
})
