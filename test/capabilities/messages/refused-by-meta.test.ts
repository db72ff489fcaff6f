import { beforeAll, beforeEach, afterAll, describe, expect, test } from 'vitest'
import { sampleOf } from '../../../main/engines/sandbox/media.ts'
import { officialNumber } from '../../support/official-number.ts'
import { until } from '../../support/service-process.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { world, type World } from '../../support/world.ts'

/**
 * What Meta refuses, so that a test on the sandbox is a promise: the same messages to a number of the sandbox and to one
 * at the simulated Meta. Limits and codes are those of the notes, typed here a second time.
 */

const ANA = '12025550178'
const STRANGER = '12025550188'
const PICTURE = { type: 'image', image: { link: 'https://media.sandbox/image.png' } }
const long = (length: number) => 'x'.repeat(length)
const words = (body: unknown) => ({ type: 'text', text: { body } })
const asked = (interactive: object) => ({ type: 'interactive', interactive })
const reply = (title: string, id = title) => ({ type: 'reply', reply: { id, title } })
const choice = (buttons: object[], body = 'Which?', more: object = {}) =>
  asked({ type: 'button', body: { text: body }, action: { buttons }, ...more })
const list = (rows: object[], more: object = {}) =>
  asked({
    type: 'list',
    body: { text: 'When?' },
    action: { button: 'Times', sections: [{ title: 'Day', rows }], ...more },
  })
const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `r${at}`, title: `Row ${at}` }))
const template = (name: string, ...components: object[]) => ({
  type: 'template',
  template: { name, language: { code: 'en' }, components },
})
const part = (type: string, ...parameters: object[]) => ({ type, parameters })
const value = (text: unknown) => ({ type: 'text', text })
const LINK = { type: 'image', image: { link: 'https://media.sandbox/image.png' } }

/** Each line is refused, and nothing arrives. */
const REFUSED: readonly (readonly [string, object])[] = [
  ['a text of 4,097 characters', { text: long(4_097) }],
  ['the same as a payload', { cloud_api: words(long(4_097)) }],
  ['a text that is a number', { cloud_api: words(7) }],
  ['an empty text', { cloud_api: words('') }],
  ['a caption of 1,025 characters', { cloud_api: { ...PICTURE, image: { ...PICTURE.image, caption: long(1_025) } } }],
  ['a kind that does not exist', { cloud_api: { type: 'poem', poem: { body: 'x' } } }],
  ['a kind whose part is missing', { cloud_api: { type: 'image' } }],
  ['a picture without a file', { cloud_api: { type: 'image', image: {} } }],
  ['a place without a latitude', { cloud_api: { type: 'location', location: { longitude: 1 } } }],
  ['a contact that is none', { cloud_api: { type: 'contacts', contacts: [] } }],
  ['a reaction to nothing', { cloud_api: { type: 'reaction', reaction: { emoji: '👍' } } }],
  ['four buttons', { cloud_api: choice(['A', 'B', 'C', 'D'].map((title) => reply(title))) }],
  ['no buttons', { cloud_api: choice([]) }],
  ['a button of 21 characters', { cloud_api: choice([reply(long(21), 'a')]) }],
  ['an id of 257 characters', { cloud_api: choice([reply('A', long(257))]) }],
  ['two buttons with one id', { cloud_api: choice([reply('A', 'same'), reply('B', 'same')]) }],
  ['buttons below 1,025 characters', { cloud_api: choice([reply('A')], long(1_025)) }],
  ['buttons below an empty text', { cloud_api: choice([reply('A')], '') }],
  [
    'a header of 61 characters',
    { cloud_api: choice([reply('A')], 'Which?', { header: { type: 'text', text: long(61) } }) },
  ],
  ['a footer of 61 characters', { cloud_api: choice([reply('A')], 'Which?', { footer: { text: long(61) } }) }],
  ['a list of 11 rows', { cloud_api: list(rows(11)) }],
  ['a list without rows', { cloud_api: list([]) }],
  ['a row of 25 characters', { cloud_api: list([{ id: 'a', title: long(25) }]) }],
  ['a description of 73 characters', { cloud_api: list([{ id: 'a', title: 'A', description: long(73) }]) }],
  ['an opener of 21 characters', { cloud_api: list(rows(1), { button: long(21) }) }],
  ['a template without its values', { cloud_api: template('refused') }],
  ['an empty value', { cloud_api: template('refused', part('header', LINK), part('body', value(''))) }],
  ['a value that is a number', { cloud_api: template('refused', part('header', LINK), part('body', value(7))) }],
  ['a value with a line break', { cloud_api: template('refused', part('header', LINK), part('body', value('a\nb'))) }],
  [
    'a value with five spaces',
    { cloud_api: template('refused', part('header', LINK), part('body', value('a     b'))) },
  ],
  [
    'two values for one variable',
    { cloud_api: template('refused', part('header', LINK), part('body', value('a'), value('b'))) },
  ],
  [
    'a text in place of the picture of a header',
    { cloud_api: template('refused', part('header', value('a')), part('body', value('a'))) },
  ],
  [
    'a video in place of the picture of a header',
    {
      cloud_api: template(
        'refused',
        part('header', { type: 'video', video: { link: 'https://media.sandbox/video.mp4' } }),
        part('body', value('a')),
      ),
    },
  ],
  [
    'a template that is too long with its value',
    { cloud_api: template('refused', part('header', LINK), part('body', value(long(1_024)))) },
  ],
]

/** The sandbox takes any name of a template, so that any can be tried. */
const REFUSED_AT_META: typeof REFUSED = [
  ['a template that does not exist', { cloud_api: template('nowhere') }],
  [
    'a template in another language',
    { cloud_api: { ...template('refused'), template: { name: 'refused', language: { code: 'es' } } } },
  ],
]

/** Files by what they are: none of them is taken as it is, and none can be converted. */
const FILES: readonly (readonly [string, string, string, Buffer])[] = [
  ['a program as a document', 'document', 'application/x-msdownload', Buffer.from('MZ program')],
  ['a document of a kind that Meta does not take', 'document', 'application/zip', Buffer.from('PK\u0003\u0004')],
  ['a text as a picture', 'image', 'text/plain', Buffer.from('Not a picture.')],
  ['a text as a video', 'video', 'text/plain', Buffer.from('Not a video.')],
  ['a text as sound', 'audio', 'text/plain', Buffer.from('Not sound.')],
]

describe.each(['the sandbox', 'the simulated Meta'] as const)('sending through %s', (place) => {
  let w: World
  let line: string
  const received = async (phone = ANA) =>
    (await w.api('GET', `/v1/sandbox/phones/${phone}/messages`)).body.data as any[]
  const send = (body: object, to = ANA) => w.api('POST', `/v1/instances/${line}/messages`, { to, ...body })

  beforeAll(async () => {
    const settings = place === 'the sandbox' ? {} : { graphBaseUrl: 'sandbox' as const, network: 'live' as const }
    w = await world({ clock: systemClock, settings })
    const number = '12025550489'
    line = place === 'the sandbox' ? (await w.official(number)).id : (await officialNumber(w, number)).id
    await w.api('POST', '/v1/sandbox/phones', { number: ANA, name: 'Ana' })
    const bytes = sampleOf('image').bytes
    const picture = await w.wire('POST', '/v1/media', bytes, { headers: { 'content-type': 'image/png' } })
    const components = [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Hello {{1}}, we are open.', example: { body_text: [['Ana']] } },
    ]
    const header_media = { media_id: picture.body.media_id }
    const draft = { name: 'refused', language: 'en', category: 'UTILITY', components, header_media }
    const made = await w.api('POST', `/v1/instances/${line}/templates`, draft)
    expect(made.status, made.text).toBe(201)
    const at = `/v1/instances/${line}/templates/${made.body.id}`
    await until('approved', async () => (await w.api('GET', at)).body.status === 'APPROVED')
  })
  afterAll(() => w.close())
  beforeEach(async () => {
    const before = (await w.api('GET', `/v1/instances/${line}/conversations?limit=1`)).body.data?.length ?? 0
    await w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: '12025550489', text: `Hello ${before}` })
  })

  test.each(place === 'the sandbox' ? REFUSED : [...REFUSED, ...REFUSED_AT_META])('refuses %s', async (_, body) => {
    const count = (await received()).length
    const { status, body: answer } = await send(body)
    expect([status, answer.error?.code], JSON.stringify(answer)).toEqual([400, 'validation_error'])
    expect(await received()).toHaveLength(count)
  })

  test.each(FILES)('refuses %s', async (_, media_type, mimeType, bytes) => {
    const uploaded = await w.wire('POST', '/v1/media', bytes, { headers: { 'content-type': mimeType } })
    const count = (await received()).length
    if (uploaded.status === 201) {
      const { status, body: answer } = await send({ media_id: uploaded.body.media_id, media_type })
      expect([400, 422]).toContain(status)
      expect(answer.error.message).toMatch(/./)
    } else expect(uploaded.status).toBe(415)
    expect(await received()).toHaveLength(count)
  })

  test('refuses a document of more than 100 MB', async () => {
    const huge = await send({ media_url: 'https://media.sandbox/huge', media_type: 'document' })
    expect(huge.status, huge.text).toBeGreaterThanOrEqual(400)
    expect(huge.body.error.message).toContain('100')
  })

  test('fails free text to a person who has not written with the reason, and delivers a template', async () => {
    const sent = await send({ text: 'Hi' }, STRANGER)
    expect(sent.status, sent.text).toBe(201)
    const at = `/v1/instances/${line}/messages/${sent.body.message_id}`
    const failed = await until('failed', async () => {
      const { body } = await w.api('GET', at)
      return body.status === 'failed' ? body : undefined
    })
    expect(failed.error.code).toBe('outside_window')
    expect(await received(STRANGER)).toEqual([])
    const whole = template('refused', part('header', LINK), part('body', value('Ana')))
    const reached = await send({ cloud_api: whole }, STRANGER)
    expect(reached.status, reached.text).toBe(201)
    await until('received', async () => (await received(STRANGER)).length === 1)
  })
})
