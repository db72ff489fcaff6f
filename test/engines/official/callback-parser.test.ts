import { MessageContent } from '../../../main/contract/message-content.ts'
import fc from 'fast-check'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import type { Item } from '../../../main/engines/official/callback-items.ts'
import { parseCallback } from '../../../main/engines/official/callback-parser.ts'
import { ANA, messagesBody, messagesChange, OURS, PHONE_NUMBER_ID, statusOf, textFrom, WABA_ID } from './cloud-world.ts'

const NOW = Date.UTC(2026, 0, 5, 12)
const parse = (body: unknown) => parseCallback(Buffer.from(JSON.stringify(body)), NOW)
const itemsOf = (value: object): readonly Item[] => parse(messagesBody(value))?.[0]?.items ?? []
const contact = { profile: { name: 'Ana' }, wa_id: ANA, user_id: 'US.123' }

test('a text says who wrote, when, and under which name', () => {
  expect(
    itemsOf({ contacts: [{ profile: { name: 'Ana' }, wa_id: ANA }], messages: [textFrom(ANA, 'wamid.1')] }),
  ).toEqual([
    {
      kind: 'message',
      id: 'wamid.1',
      person: { number: ANA, userId: null },
      group: null,
      isEcho: false,
      atMs: 1_767_614_400_000,
      type: 'text',
      text: 'Hello',
      pushName: 'Ana',
      media: null,
      content: null,
      quoted: null,
      forwarded: null,
      referral: null,
    },
  ])
})

test.each([
  [{ forwarded: true }, 'forwarded'],
  [{ frequently_forwarded: true }, 'frequently'],
  [{ forwarded: true, frequently_forwarded: true }, 'frequently'],
  [{ forwarded: false }, null],
  [{ forwarded: 'yes' }, null],
  [{ from: OURS, id: 'wamid.0' }, null],
])('a message with the context %j has the forward mark %s', (context, forwarded) => {
  const [message] = itemsOf({ messages: [{ ...textFrom(ANA, 'wamid.1'), context }] })
  expect(message).toMatchObject({ kind: 'message', forwarded })
})

test('a batch for several numbers assigns each change to its own number', () => {
  const body = {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: WABA_ID,
        changes: [
          messagesChange({ messages: [textFrom(ANA, 'a')] }, '111'),
          messagesChange({ messages: [textFrom(ANA, 'b')] }, '222'),
        ],
      },
      { id: '9', changes: [messagesChange({ statuses: [statusOf('c', 'sent')] }, '333')] },
    ],
  }
  expect(parse(body)?.map(({ wabaId, phoneNumberId, items }) => [wabaId, phoneNumberId, items.length])).toEqual([
    [WABA_ID, '111', 1],
    [WABA_ID, '222', 1],
    ['9', '333', 1],
  ])
})

describe('turning marketing messages off or on', () => {
  const preference = (more: object = {}) => ({
    ...{ wa_id: ANA, user_id: 'US.123', detail: 'User requested to stop marketing messages' },
    ...{ category: 'marketing_messages', value: 'stop', timestamp: 1_767_614_400, ...more },
  })
  const read = (...user_preferences: object[]) => {
    const change = messagesChange({ contacts: [contact], user_preferences })
    const body = {
      object: 'whatsapp_business_account',
      entry: [{ id: WABA_ID, changes: [{ ...change, field: 'user_preferences' }] }],
    }
    return parse(body)?.[0]
  }
  const person = { number: ANA, userId: 'US.123' }
  const atMs = 1_767_614_400_000

  test('contains the person, the choice and the time', () => {
    expect(read(preference(), preference({ value: 'resume', timestamp: '1767614401' }))).toMatchObject({
      phoneNumberId: PHONE_NUMBER_ID,
      items: [
        { kind: 'marketing', person, wants: false, atMs },
        { kind: 'marketing', person, wants: true, atMs: atMs + 1_000 },
      ],
      problems: [],
    })
  })

  test('identifies a person who hides their number by the id from Meta', () => {
    const hidden = preference({ wa_id: undefined, user_id: 'US.9' })
    expect(read(hidden)?.items).toMatchObject([{ person: { number: null, userId: 'US.9' }, wants: false }])
  })

  test('is ignored for other categories, and a problem if it cannot be parsed', () => {
    expect(read(preference({ category: 'other' }))).toMatchObject({ items: [], problems: [] })
    const broken = [
      preference({ value: 'pause' }),
      preference({ timestamp: null }),
      preference({ wa_id: 'x', user_id: null }),
    ]
    expect(read(...broken, preference())?.items).toHaveLength(1)
    expect(read(...broken)?.problems).toEqual(['user_preferences[0]', 'user_preferences[1]', 'user_preferences[2]'])
  })
})

describe('a person who hides their number', () => {
  test('is known only by the id from Meta', () => {
    const hidden = { from_user_id: 'US.123', id: 'wamid.1', timestamp: '1767614400', type: 'text', text: { body: 'x' } }
    const [message] = itemsOf({ contacts: [{ profile: { name: 'Who' }, user_id: 'US.123' }], messages: [hidden] })
    expect(message).toMatchObject({ person: { number: null, userId: 'US.123' }, pushName: 'Who' })
  })

  test('but whose number is shown as well is one person, reported before the message', () => {
    const items = itemsOf({ contacts: [contact], messages: [textFrom(ANA, 'wamid.1')] })
    expect(items[0]).toEqual({ kind: 'known', number: ANA, userId: 'US.123' })
    expect(items[1]).toMatchObject({ kind: 'message', person: { number: ANA, userId: 'US.123' } })
  })
})

describe('a shared contact', () => {
  const CARD = { name: { formatted_name: 'Ana' }, phones: [{ phone: '+1 202 555 0188' }] }
  const shared = (more: object, from: object = { from_user_id: 'US.1' }) =>
    itemsOf({
      messages: [{ ...from, id: 'wamid.1', timestamp: '1767614400', type: 'contacts', contacts: [CARD], ...more }],
    })

  test('gives the sender’s own number if it was requested', () => {
    const [known, message] = shared({ origin: 'contact_request' })
    expect(known).toEqual({ kind: 'known', number: '12025550188', userId: 'US.1' })
    expect(message).toMatchObject({ kind: 'message', person: { number: '12025550188', userId: 'US.1' } })
  })

  test.each([
    ['of somebody else', { origin: 'other' }],
    ['that nobody asked for', {}],
    ['without a number', { origin: 'contact_request', contacts: [{ name: CARD.name }] }],
    ['of several people', { origin: 'contact_request', contacts: [CARD, CARD] }],
  ])('does not give the sender’s number if it is one %s', (_what, more) => {
    const items = shared(more)
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({ person: { number: null, userId: 'US.1' } })
  })

  test('does not replace a number that Meta shows already', () => {
    const [message] = shared({ origin: 'contact_request' }, { from: '12025550101' })
    expect(message).toMatchObject({ kind: 'message', person: { number: '12025550101' } })
  })
})

test('a message gets the name of the first contact that has its number or id, and of no other', () => {
  const contacts = [
    { profile: { name: 'Ben' }, wa_id: '12025550102' },
    { profile: { name: 'Ana' }, wa_id: ANA, user_id: 'US.1' },
    { profile: { name: 'Not Ana' }, wa_id: ANA },
    { profile: { name: 'No number' }, wa_id: 'US.1' },
  ]
  const hidden = { ...textFrom(ANA, 'wamid.2'), from: undefined, from_user_id: 'US.1' }
  const items = itemsOf({ contacts, messages: [textFrom(ANA, 'wamid.1'), hidden, textFrom('12025550199', 'wamid.3')] })
  const names = items.flatMap((item) => (item.kind === 'message' ? [item.pushName] : []))
  expect(names).toEqual(['Ana', 'Ana', null])
})

describe('received messages', () => {
  const one = (message: object) =>
    itemsOf({ messages: [{ ...textFrom(ANA, 'wamid.1'), text: undefined, ...message }] })[0]

  test.each([
    [
      { type: 'image', image: { id: '5', mime_type: 'image/jpeg', sha256: 'x', caption: 'Look' } },
      { type: 'image', text: 'Look', media: { id: '5', mimeType: 'image/jpeg', filename: null, caption: 'Look' } },
    ],
    [
      { type: 'document', document: { id: '5', mime_type: 'application/pdf', filename: 'a.pdf' } },
      { type: 'document', media: { filename: 'a.pdf' } },
    ],
    [
      { type: 'audio', audio: { id: '5', mime_type: 'audio/ogg; codecs=opus', voice: true } },
      { type: 'audio', media: { mimeType: 'audio/ogg' } },
    ],
    [{ type: 'sticker', sticker: { id: '5', mime_type: 'image/webp' } }, { type: 'sticker' }],
    [
      { type: 'location', location: { latitude: 1, longitude: 2, name: 'Home', address: 'Street 1' } },
      { type: 'location', text: 'Home, Street 1' },
    ],
    [
      { type: 'contacts', contacts: [{ name: { formatted_name: 'Ben' } }] },
      { type: 'contact', text: 'Ben' },
    ],
    [
      { type: 'button', button: { text: 'Yes', payload: 'p' } },
      { type: 'text', text: 'Yes' },
    ],
    [
      { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: '1', title: 'Red' } } },
      { type: 'text', text: 'Red' },
    ],
    [
      { type: 'unsupported', errors: [{ code: 131_051 }] },
      { type: 'unavailable', text: '' },
    ],
    [{ type: 'something_new', something_new: {} }, { type: 'unavailable' }],
  ])('%j', (message, expected) => {
    expect(one(message)).toMatchObject({ kind: 'message', ...expected })
  })

  test('a reply contains the quoted message, and a message from an advertisement its source', () => {
    const referral = { source_type: 'ad', source_id: '1', headline: 'Spring' }
    expect(one({ type: 'text', text: { body: 'x' }, context: { from: OURS, id: 'wamid.0' }, referral })).toMatchObject({
      quoted: 'wamid.0',
      referral,
    })
  })

  test('reactions, edits and deletions contain the id of their message', () => {
    expect(one({ type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '👍' } })).toMatchObject({
      kind: 'reaction',
      target: 'wamid.0',
      emoji: '👍',
    })
    expect(one({ type: 'reaction', reaction: { message_id: 'wamid.0' } })).toMatchObject({
      kind: 'reaction',
      emoji: '',
    })
    expect(
      one({ type: 'edit', edit: { original_message_id: 'wamid.0', message: { type: 'text', text: { body: 'New' } } } }),
    ).toMatchObject({ kind: 'edited', target: 'wamid.0', text: 'New' })
    expect(one({ type: 'revoke', revoke: { original_message_id: 'wamid.0' } })).toMatchObject({
      kind: 'deleted',
      target: 'wamid.0',
    })
  })

  test('a message typed on the number’s own phone is an echo', () => {
    const echo = {
      from: OURS,
      to: ANA,
      id: 'wamid.e',
      timestamp: '1767614400',
      type: 'text',
      text: { body: 'From the phone' },
    }
    const body = {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: WABA_ID,
          changes: [
            {
              field: 'smb_message_echoes',
              value: { metadata: { phone_number_id: PHONE_NUMBER_ID }, message_echoes: [echo] },
            },
          ],
        },
      ],
    }
    expect(parse(body)?.[0]).toMatchObject({
      phoneNumberId: PHONE_NUMBER_ID,
      items: [{ kind: 'message', isEcho: true, person: { number: ANA } }],
    })
  })
})

test.each([
  ['sent', { status: 'sent' }],
  ['delivered', { status: 'delivered' }],
  ['read', { status: 'read' }],
  ['played', { status: 'read' }],
])('a status %s', (word, expected) => {
  expect(itemsOf({ statuses: [statusOf('wamid.1', word, { biz_opaque_callback_data: 'msg_x' })] })[0]).toMatchObject({
    kind: 'status',
    id: 'wamid.1',
    opaque: 'msg_x',
    ...expected,
  })
})

test('a failed status contains the reason', () => {
  const errors = [{ code: 131_047, title: 'Re-engagement message', error_data: { details: 'More than 24 hours' } }]
  expect(itemsOf({ statuses: [statusOf('wamid.1', 'failed', { errors })] })[0]).toMatchObject({
    kind: 'failed',
    error: { code: 131_047, details: 'More than 24 hours' },
  })
})

describe('invalid callbacks', () => {
  test.each([
    ['not json'],
    ['[]'],
    ['null'],
    ['{"object":"page","entry":[]}'],
    ['{"object":"whatsapp_business_account"}'],
    [''],
  ])('%s is not a callback', (text) => {
    expect(parseCallback(Buffer.from(text), NOW)).toBeUndefined()
  })

  test('one invalid item is reported as a problem, and the rest is still parsed', () => {
    const [change] =
      parse(
        messagesBody({
          messages: [{ type: 'text' }, textFrom(ANA, 'wamid.2')],
          statuses: [{ id: 'x' }, statusOf('wamid.3', 'sent')],
        }),
      ) ?? []
    expect(change?.problems).toEqual(['messages[0]', 'statuses[0]'])
    expect(change?.items.map((item) => 'id' in item && item.id)).toEqual(['wamid.2', 'wamid.3'])
  })

  test('unknown fields are not a problem', () => {
    const body = {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: WABA_ID,
          changes: [
            { field: 'flows', value: { event: 'FLOW_STATUS_CHANGE' } },
            { field: 'constructor', value: {} },
            {},
          ],
        },
      ],
    }
    expect(parse(body)?.map(({ items, problems }) => [items, problems])).toEqual([
      [[], []],
      [[], []],
      [[], []],
    ])
  })

  test('no callback body from Meta causes an exception', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            'from',
            'id',
            'timestamp',
            'type',
            'text',
            'status',
            'errors',
            'messages',
            'statuses',
            'contacts',
            'wa_id',
            'profile',
            'metadata',
            'reaction',
          ),
          tie('any'),
          { maxKeys: 5 },
        ),
      ),
    })).any
    fc.assert(
      fc.property(value, (odd) => {
        expect(Array.isArray(parse(messagesBody({ messages: [odd], statuses: [odd], contacts: [odd] })))).toBe(true)
        expect(
          Array.isArray(
            parse({
              object: 'whatsapp_business_account',
              entry: [odd, { changes: [{ field: 'messages', value: odd }] }],
            }),
          ),
        ).toBe(true)
      }),
    )
  })
})

const CONTENTS: readonly (readonly [message: object, content: object])[] = [
  [
    { type: 'location', location: { latitude: 52.5, longitude: '13.4', name: 'Shop' } },
    { type: 'location', latitude: 52.5, longitude: 13.4, name: 'Shop', address: null, url: null, live: false },
  ],
  [
    { type: 'contacts', contacts: [{ name: { formatted_name: 'Ben' }, phones: [{ phone: '+1 (202) 555-0102' }] }] },
    { type: 'contacts', contacts: [{ name: 'Ben', numbers: ['+12025550102'], vcard: null }] },
  ],
  [
    { type: 'button', button: { payload: 'YES', text: 'Yes' } },
    { type: 'button_reply', id: 'YES', title: 'Yes' },
  ],
  [
    { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'b', title: 'Yes' } } },
    { type: 'button_reply', id: 'b', title: 'Yes' },
  ],
  [
    { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'r', title: 'Red' } } },
    { type: 'list_reply', id: 'r', title: 'Red', description: null },
  ],
  [
    {
      type: 'interactive',
      interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"size":"L"}' } },
    },
    { type: 'flow_reply', id: null, title: 'Sent', name: 'flow', response: { size: 'L' } },
  ],
  [
    {
      type: 'order',
      order: {
        catalog_id: 'c',
        product_items: [
          { product_retailer_id: 'tea', quantity: '2', item_price: '1.10', currency: 'USD' },
          { product_retailer_id: 'mug', quantity: 1, item_price: 5, currency: 'USD' },
        ],
      },
    },
    {
      ...{ type: 'order', catalog_id: 'c', item_count: 3, total: { amount: 7.2, currency: 'USD' } },
      items: [
        { product_id: 'tea', quantity: 2, price: { amount: 1.1, currency: 'USD' } },
        { product_id: 'mug', quantity: 1 },
      ],
    },
  ],
  [{ type: 'unsupported' }, { type: 'unavailable', reason: 'unsupported', kind: 'unsupported' }],
]

test.each(CONTENTS)('content of a message besides its text: %j', (message, content) => {
  const [item] = itemsOf({ messages: [{ ...textFrom(ANA, 'a'), ...message }] })
  expect(item).toMatchObject({ kind: 'message', content })
  expect(Check(MessageContent, item?.kind === 'message' ? item.content : null)).toBe(true)
})
