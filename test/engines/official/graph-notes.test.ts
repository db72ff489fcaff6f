import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import { ANA, graphWorld, soon, type Credentials, type GraphWorld } from './graph-world.ts'

/**
 * The simulated Meta judged against the fact notes (section B) by a client that shares no code with the driver. Codes,
 * limits and shapes are typed here from the notes.
 */

const STRANGER = '12025550199'
let world: GraphWorld
let number: Credentials

beforeAll(async () => {
  world = await graphWorld()
  number = await world.number('12025550200')
})
afterAll(() => world.close())

interface Asking {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

async function ask(path: string, { method = 'GET', body, headers = {} }: Asking = {}) {
  const isRaw = body instanceof FormData || body instanceof Uint8Array
  const answer = await fetch(`${world.graph.url()}/v26.0/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${number.accessToken}`,
      ...(isRaw || body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}
const post = (path: string, body: unknown) => ask(path, { method: 'POST', body })
const ofNumber = (edge: string) => `${number.phoneNumberId}/${edge}`
const ofAccount = (edge: string) => `${number.wabaId}/${edge}`
const BODY = { type: 'BODY', text: 'The garden is open again.' }
const draft = (name: string, more: object = {}) => ({
  ...{ name, language: 'en', category: 'UTILITY', components: [BODY], ...more },
})

describe('B2, the limit of a portfolio', () => {
  test('is returned under its new name, and the old field is empty', async () => {
    const fields = 'whatsapp_business_manager_messaging_limit,messaging_limit_tier,quality_rating'
    const { body } = await ask(`${number.phoneNumberId}?fields=${fields}`)
    expect(body.whatsapp_business_manager_messaging_limit).toMatch(/^TIER_(250|2K|10K|100K|UNLIMITED)$/)
    expect(body.messaging_limit_tier ?? null).toBeNull()
    expect(['GREEN', 'YELLOW', 'RED', 'UNKNOWN']).toContain(body.quality_rating)
  })
})

describe('B5, templates', () => {
  test('a new one is in review, is listed with the requested fields, and one language of it is deleted', async () => {
    const made = await post(ofAccount('message_templates'), draft('garden'))
    expect(made.body).toMatchObject({ id: expect.stringMatching(/^\d+$/), status: 'PENDING', category: 'UTILITY' })
    const fields = 'name,status,category,language,components,quality_score,rejected_reason'
    const { body } = await ask(`${ofAccount('message_templates')}?fields=${fields}&limit=100`)
    expect(body.data.find(({ name }: { name: string }) => name === 'garden')).toMatchObject({
      ...{ language: 'en', category: 'UTILITY', components: [BODY] },
    })
    const one = `hsm_id=${made.body.id}&name=garden`
    expect((await ask(`${ofAccount('message_templates')}?${one}`, { method: 'DELETE' })).body).toEqual({
      success: true,
    })
    // The name of an approved one is locked; the one in review was not approved.
    const after = await ask(`${ofAccount('message_templates')}?fields=name&limit=100`)
    expect(after.body.data.map(({ name }: { name: string }) => name)).not.toContain('garden')
  })

  const text = (length: number) => 'x'.repeat(length)
  const buttons = (count: number, make: (at: number) => object) => ({
    ...{ type: 'BUTTONS', buttons: Array.from({ length: count }, (_, at) => make(at)) },
  })
  test.each<[string, object]>([
    ['a header of 61 characters', { components: [{ type: 'HEADER', format: 'TEXT', text: text(61) }, BODY] }],
    ['a body of 1,025 characters', { components: [{ type: 'BODY', text: text(1_025) }] }],
    ['a footer of 61 characters', { components: [BODY, { type: 'FOOTER', text: text(61) }] }],
    ['11 buttons', { components: [BODY, buttons(11, (at) => ({ type: 'QUICK_REPLY', text: `A${at}` }))] }],
    ['a button of 26 characters', { components: [BODY, buttons(1, () => ({ type: 'QUICK_REPLY', text: text(26) }))] }],
    [
      'three links',
      { components: [BODY, buttons(3, (at) => ({ type: 'URL', text: `A${at}`, url: 'https://a.example' }))] },
    ],
    [
      'two phone numbers',
      {
        components: [
          BODY,
          buttons(2, (at) => ({ type: 'PHONE_NUMBER', text: `A${at}`, phone_number: '+12025550101' })),
        ],
      },
    ],
    [
      'answers that do not stand together',
      {
        components: [
          BODY,
          {
            type: 'BUTTONS',
            buttons: [
              { type: 'QUICK_REPLY', text: 'A' },
              { type: 'URL', text: 'B', url: 'https://a.example' },
              { type: 'QUICK_REPLY', text: 'C' },
            ],
          },
        ],
      },
    ],
    ['variables without examples', { components: [{ type: 'BODY', text: 'Hello {{1}}, hi.' }] }],
    ['a picture without a sample', { components: [{ type: 'HEADER', format: 'IMAGE' }, BODY] }],
    [
      'a sample that was never uploaded',
      { components: [{ type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::nothing'] } }, BODY] },
    ],
  ])('refuses %s', async (_, more) => {
    const { status, body } = await post(ofAccount('message_templates'), draft('refused', more))
    expect([status, body.error?.code], JSON.stringify(body)).toEqual([400, 100])
  })

  test('the sample of a header is uploaded in two steps', async () => {
    const { bytes, mimeType } = sampleOf('image')
    const query = new URLSearchParams({ file_name: 'a.png', file_length: String(bytes.length), file_type: mimeType })
    const { body: app } = await ask('app')
    const begun = await ask(`${app.id}/uploads?${query}`, { method: 'POST' })
    expect(begun.body.id).toMatch(/^upload:/)
    const headers = { authorization: `OAuth ${number.accessToken}`, file_offset: '0' }
    const done = await ask(begun.body.id, { method: 'POST', body: new Uint8Array(bytes), headers })
    expect(done.body.h).toMatch(/^4::/)
    const header = { type: 'HEADER', format: 'IMAGE', example: { header_handle: [done.body.h] } }
    const made = await post(ofAccount('message_templates'), draft('with_picture', { components: [header, BODY] }))
    expect(made.body.status, JSON.stringify(made.body)).toBe('PENDING')
  })
})

describe('B6, other interfaces', () => {
  test('people who wrote in the last 24 hours can be blocked, and others cannot', async () => {
    const body = { messaging_product: 'whatsapp', block_users: [{ user: ANA }, { user: STRANGER }] }
    const { body: answer } = await post(ofNumber('block_users'), body)
    const said = JSON.stringify(answer)
    expect([answer.error?.code, said.includes('131047'), said.includes(ANA)], said).toEqual([139_100, true, true])
    const listed = await ask(ofNumber('block_users'))
    expect(JSON.stringify(listed.body)).toContain(ANA)
    const undone = { messaging_product: 'whatsapp', block_users: [{ user: ANA }] }
    expect((await ask(ofNumber('block_users'), { method: 'DELETE', body: undone })).status).toBe(200)
    expect(JSON.stringify((await ask(ofNumber('block_users'))).body)).not.toContain(ANA)
  })

  test('typing is shown for a received message, and for no other', async () => {
    const typing = (message_id: string) =>
      post(ofNumber('messages'), {
        ...{ messaging_product: 'whatsapp', status: 'read', message_id, typing_indicator: { type: 'text' } },
      })
    const instance = await world.connect(number)
    const content = { type: 'text', text: 'Hello' }
    await world.network.speak(world.accountId, ANA, { to: '12025550200', group: null, content })
    await soon('heard', () => world.of(instance, 'received').length > 0)
    const wamid = world.of(instance, 'received')[0]?.engineMessageId ?? ''
    expect((await typing(wamid)).body).toEqual({ success: true })
    expect((await typing('wamid.none')).status).toBe(400)
  })

  test.each<[string, object, number]>([
    ['4 questions of 80 characters', { prompts: Array.from({ length: 4 }, (_, at) => `${at}${'x'.repeat(79)}`) }, 200],
    ['5 questions', { prompts: ['a', 'b', 'c', 'd', 'e'] }, 400],
    ['a question of 81 characters', { prompts: ['x'.repeat(81)] }, 400],
    ['a question with an emoji', { prompts: ['Hi 👋'] }, 400],
    [
      '30 commands',
      { commands: Array.from({ length: 30 }, (_, at) => ({ command_name: `c${at}`, command_description: 'x' })) },
      200,
    ],
    [
      '31 commands',
      { commands: Array.from({ length: 31 }, (_, at) => ({ command_name: `c${at}`, command_description: 'x' })) },
      400,
    ],
    ['a command of 33 characters', { commands: [{ command_name: 'x'.repeat(33), command_description: 'x' }] }, 400],
    ['a hint of 257 characters', { commands: [{ command_name: 'a', command_description: 'x'.repeat(257) }] }, 400],
  ])('conversational components: %s', async (_, body, status) => {
    const answer = await post(ofNumber('conversational_automation'), body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  })

  test.each(['ab', 'x'.repeat(36), 'luz bakery'])('no username is "%s"', async (username) => {
    const answer = await post(ofNumber('username'), { username })
    expect(answer.status, JSON.stringify(answer.body)).toBe(400)
  })

  test.each<[string, string, string, number]>([
    ['a picture', 'image/png', 'a.png', 200],
    ['a type that is not on the list', 'image/gif', 'a.gif', 400],
    ['a program', 'application/x-msdownload', 'a.exe', 400],
  ])('an upload of %s', async (_, type, name, status) => {
    const form = new FormData()
    form.set('messaging_product', 'whatsapp')
    form.set('type', type)
    form.set('file', new Blob([new Uint8Array(sampleOf('image').bytes)], { type }), name)
    const answer = await ask(ofNumber('media'), { method: 'POST', body: form })
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  })

  test('groups are for official business accounts', async () => {
    world.graph.allowGroups(number.phoneNumberId, false)
    const answer = await post(ofNumber('groups'), { messaging_product: 'whatsapp', subject: 'Friends' })
    expect(answer.status, JSON.stringify(answer.body)).toBe(400)
  })
})
