import { beforeEach, describe, expect, test } from 'vitest'
import { sampleOf } from '../../../main/engines/sandbox/media.ts'
import type { MediaType } from '../../../main/contract/shapes.ts'
import { worldOfTest, type Reply, type World } from '../../support/world.ts'

const BODY = { type: 'BODY', text: 'Hello {{1}}, your table is ready.', example: { body_text: [['Ana']] } }
const DRAFT = { name: 'table_ready', language: 'en', category: 'UTILITY', components: [BODY] }

let w: World
let path: string
let number: string
beforeEach(async () => {
  w = await worldOfTest()
  number = (await w.official()).id
  path = `/v1/instances/${number}/templates`
})

const codeOf = ({ status, body }: Reply) => [status, body?.error?.code]
const send = (name: string, ...values: string[]) => {
  const components = [{ type: 'body', parameters: values.map((text) => ({ type: 'text', text })) }]
  return w.api('POST', `/v1/instances/${number}/messages`, {
    to: '12025550301',
    cloud_api: { type: 'template', template: { name, language: { code: 'en' }, components } },
  })
}
const reviewed = () => w.pass(2_000)

test('a template is created, approved, edited and deleted', async () => {
  const made = await w.api('POST', path, DRAFT)
  const record = {
    ...DRAFT,
    status: 'PENDING',
    quality: null,
    rejected_reason: null,
    rejection_help: null,
    paused_until: null,
    category_change: null,
    restriction: null,
    ttl_seconds: null,
    deletes_at: null,
  }
  expect([made.status, made.body]).toEqual([201, { id: expect.any(String), ...record }])
  const { id } = made.body
  expect((await w.api('GET', path)).body.data).toContainEqual(made.body)
  expect(codeOf(await w.api('PATCH', `${path}/${id}`, { components: [BODY] }))).toEqual([409, 'invalid_state'])
  await reviewed()
  expect((await w.api('GET', `${path}/${id}`)).body).toMatchObject({ status: 'APPROVED' })
  const text = 'Hello {{1}}, your table is ready now.'
  const edited = await w.api('PATCH', `${path}/${id}`, { components: [{ ...BODY, text }] })
  expect([edited.status, edited.body]).toMatchObject([200, { status: 'PENDING', components: [{ text }] }])
  expect(codeOf(await w.api('DELETE', `${path}/${id}`))).toEqual([400, 'confirmation_required'])
  expect((await w.api('DELETE', `${path}/${id}?confirm=true`)).status).toBe(204)
  expect(codeOf(await w.api('GET', `${path}/${id}`))).toEqual([404, 'not_found'])
  expect(codeOf(await w.api('DELETE', `${path}/${id}?confirm=true`))).toEqual([404, 'not_found'])
})

test('a template that is not paused stays as it is when its pause is ended', async () => {
  const { id } = (await w.api('POST', path, DRAFT)).body
  await reviewed()
  const before = await w.api('GET', `${path}/${id}`)
  const ended = await w.api('POST', `${path}/${id}/unpause`)
  expect([ended.status, ended.body]).toEqual([200, before.body])
  expect(codeOf(await w.api('POST', `${path}/404/unpause`))).toEqual([404, 'not_found'])
})

test('a refusal is shown in Meta’s words, and nothing is created', async () => {
  const refused = await w.api('POST', path, { ...DRAFT, components: [{ type: 'BODY', text: BODY.text }] })
  expect(codeOf(refused)).toEqual([409, 'invalid_state'])
  expect(refused.body.error.message).toBe('Meta refused this (100): The body needs an example of each variable.')
  expect((await w.api('GET', path)).body.data).toHaveLength(3)
})

test.each([
  ['a name with capitals', { ...DRAFT, name: 'Table' }],
  ['no components', { ...DRAFT, components: [] }],
  ['an unknown category', { ...DRAFT, category: 'PROMO' }],
  ['an unknown field', { ...DRAFT, status: 'APPROVED' }],
])('%s is refused before Meta is asked', async (_, body) => {
  expect(codeOf(await w.api('POST', path, body))).toEqual([400, 'validation_error'])
})

test('a sandbox number sends no message with a template in review or rejected', async () => {
  await w.api('POST', path, DRAFT)
  expect(codeOf(await send('table_ready'))).toEqual([400, 'validation_error'])
  await reviewed()
  expect((await send('table_ready', 'Ana')).body).toMatchObject({ sent: true })
  await w.api('POST', path, { ...DRAFT, name: 'bad', components: [{ ...BODY, text: '{{1}}, hello to you all.' }] })
  await reviewed()
  expect(codeOf(await send('bad'))).toEqual([400, 'validation_error'])
  expect((await send('never_made')).body).toMatchObject({ sent: true })
})

test('a phone that is paired by QR has no templates', async () => {
  const phone = await w.pair()
  const answer = await w.api('POST', `/v1/instances/${phone.id}/templates`, DRAFT)
  expect(codeOf(answer)).toEqual([400, 'engine_mismatch'])
})

describe('the file of a header', () => {
  const header = (format: string) => ({ type: 'HEADER', format })
  const uploaded = async (type: MediaType) => {
    const { bytes, mimeType } = sampleOf(type)
    return (await w.api('POST', '/v1/media', bytes, { headers: { 'content-type': mimeType } })).body.media_id
  }
  const create = (format: string, header_media: object) =>
    w.api('POST', path, { ...DRAFT, components: [header(format), BODY], header_media })
  const handle = { header_handle: [expect.stringMatching(/^4::/)] }

  test.each([
    ['IMAGE', 'image'],
    ['VIDEO', 'video'],
    ['DOCUMENT', 'document'],
  ] as const)('%s can be an upload', async (format, type) => {
    const made = await create(format, { media_id: await uploaded(type) })
    expect([made.status, made.body]).toMatchObject([201, { components: [{ format, example: handle }, BODY] }])
  })

  test('can be given by its URL', async () => {
    const made = await create('IMAGE', { media_url: 'https://media.sandbox/image.png' })
    expect([made.status, made.body]).toMatchObject([201, { components: [{ example: handle }, BODY] }])
  })

  test('can be replaced alone', async () => {
    const { id } = (await create('IMAGE', { media_id: await uploaded('image') })).body
    await reviewed()
    const changed = await w.api('PATCH', `${path}/${id}`, { header_media: { media_id: await uploaded('image') } })
    expect([changed.status, changed.body]).toMatchObject([200, { status: 'PENDING', components: [{}, BODY] }])
  })

  test.each<[string, string, () => Promise<object>, number, string]>([
    [
      'of another type than the header',
      'VIDEO',
      async () => ({ media_id: await uploaded('image') }),
      400,
      'must be MP4',
    ],
    [
      'for a header that has none',
      'LOCATION',
      async () => ({ media_id: await uploaded('image') }),
      400,
      'format IMAGE',
    ],
    ['without a source', 'IMAGE', async () => ({}), 400, 'media_id or media_url'],
    [
      'with two sources',
      'IMAGE',
      async () => ({ media_id: 'fil_1', media_url: 'https://media.sandbox/image.png' }),
      400,
      'media_id or media_url',
    ],
    ['that nobody has uploaded', 'IMAGE', async () => ({ media_id: 'fil_none' }), 404, 'upload the file again'],
    [
      'in this network',
      'IMAGE',
      async () => ({ media_url: 'http://127.0.0.1/a.png' }),
      400,
      'does not lead to a public address',
    ],
  ])('%s is refused, and nothing is submitted', async (_, format, media, status, said) => {
    const refused = await create(format, await media())
    expect([refused.status, refused.body.error.message]).toEqual([status, expect.stringContaining(said)])
    expect((await w.api('GET', path)).body.data).toHaveLength(3)
  })
})

test('a rejected template says what to do', async () => {
  await w.api('POST', path, { ...DRAFT, components: [{ ...BODY, text: '{{1}}, hello to you all.' }] })
  await reviewed()
  expect((await w.api('GET', path)).body.data).toContainEqual(
    expect.objectContaining({
      status: 'REJECTED',
      rejected_reason: 'INVALID_FORMAT',
      rejection_help: expect.stringContaining('a variable begins or ends the text'),
    }),
  )
})

describe('a template of one-time codes', () => {
  const draft = {
    ...{ name: 'code', language: 'pt_BR', category: 'AUTHENTICATION' },
    components: [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 5 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ],
  }
  const sendCode = (...components: object[]) =>
    w.api('POST', `/v1/instances/${number}/messages`, {
      to: '12025550301',
      cloud_api: { type: 'template', template: { name: 'code', language: { code: 'pt_BR' }, components } },
    })
  const text = { type: 'text', text: '123456' }

  test('gets its text from Meta, and is sent with the code in its text and in its button', async () => {
    const made = await w.api('POST', path, draft)
    expect(made.body.components).toEqual([
      {
        ...{ type: 'BODY', add_security_recommendation: true, example: { body_text: [['123456']] } },
        text: 'Seu código de verificação é *{{1}}*. Para sua segurança, não o compartilhe.',
      },
      { type: 'FOOTER', code_expiration_minutes: 5, text: 'Este código expira em 5 minutos.' },
      { type: 'BUTTONS', buttons: [expect.objectContaining({ type: 'URL', text: 'Copiar código' })] },
    ])
    await reviewed()
    const button = { type: 'button', sub_type: 'url', index: '0', parameters: [text] }
    expect((await sendCode({ type: 'body', parameters: [text] }, button)).body).toMatchObject({ sent: true })
    expect(codeOf(await sendCode({ type: 'body', parameters: [text] }))).toEqual([400, 'validation_error'])
  })

  test('cannot change to another category without its parts', async () => {
    const { id } = (await w.api('POST', path, DRAFT)).body
    await reviewed()
    await w.api('PATCH', `${path}/${id}`, { components: [{ ...BODY, text: '{{1}}, hello to you all.' }] })
    await reviewed()
    const changed = await w.api('PATCH', `${path}/${id}`, { category: 'AUTHENTICATION' })
    expect(codeOf(changed)).toEqual([409, 'invalid_state'])
  })
})

test.each([
  ['an empty value', [{ type: 'text', text: '' }], '131008'],
  ['too few values', [], '132000'],
  ['a line break', [{ type: 'text', text: 'Ana\nMaria' }], '132018'],
  ['a picture', [{ type: 'image', image: { id: '1' } }], '132012'],
])('a number of the sandbox refuses a template with %s, as Meta does', async (_, parameters, code) => {
  await w.api('POST', path, DRAFT)
  await reviewed()
  const template = { name: DRAFT.name, language: { code: 'en' }, components: [{ type: 'body', parameters }] }
  const answer = await w.api('POST', `/v1/instances/${number}/messages`, {
    ...{ to: '12025550301', cloud_api: { type: 'template', template } },
  })
  expect([answer.status, answer.body.error]).toMatchObject([
    400,
    { code: 'validation_error', message: expect.stringContaining(code) },
  ])
})
