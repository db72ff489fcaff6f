import { contentOf } from '../../../main/kernel/file-content.ts'
import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance, Outgoing } from '../../../main/engines/engine.ts'
import { interactivePayload } from '../../../main/engines/official/interactive.ts'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import type { Log } from '../../../main/kernel/log.ts'
import { pause } from '../../support/service-process.ts'
import { ANA, graphWorld, HIDDEN, soon, type Credentials, type GraphWorld } from './graph-world.ts'

const orderUpdate = (...values: readonly string[]) => ({
  name: 'order_update',
  language: { code: 'en' },
  components: [{ type: 'body', parameters: values.map((value) => ({ type: 'text', text: value })) }],
})

describe('the simulated Graph API, called by an independent client', () => {
  let world: GraphWorld
  let credentials: Credentials
  beforeAll(async () => {
    world = await graphWorld()
    credentials = await world.number('12025550200')
  })
  afterAll(() => world.close())

  const ask = async (
    path: string,
    {
      method = 'GET',
      body,
      token = credentials.accessToken,
    }: { method?: string; body?: unknown; token?: string | null } = {},
  ) => {
    const answer = await fetch(`${world.graph.url()}/${path}`, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined
        ? {}
        : { body: body instanceof FormData ? body : typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      headers: answer.headers,
      body: text.startsWith('{') ? JSON.parse(text) : text,
    }
  }
  const post = (body: unknown) => ask(`v26.0/${credentials.phoneNumberId}/messages`, { method: 'POST', body })
  const text = { messaging_product: 'whatsapp', to: ANA, type: 'text', text: { body: 'Hello' } }

  test('requires a version and a known token', async () => {
    expect((await ask('me')).body.error).toMatchObject({
      code: 2_500,
      message: expect.stringContaining('Unknown path components'),
    })
    for (const token of [null, 'EAAGnobody']) {
      const { status, body, headers } = await ask(`v26.0/${credentials.phoneNumberId}`, { token })
      expect([status, body.error.code, body.error.type, headers.get('www-authenticate')?.slice(0, 5)]).toEqual([
        401,
        190,
        'OAuthException',
        'OAuth',
      ])
    }
  })

  test('answers a message as Graph does', async () => {
    expect((await post(text)).body).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: ANA, wa_id: ANA }],
      messages: [{ id: expect.stringMatching(/^wamid\./), message_status: 'accepted' }],
    })
  })

  test.each([
    ['no messaging_product', { ...text, messaging_product: undefined }, 100],
    ['nobody to send to', { ...text, to: undefined }, 100],
    ['a type that is none', { ...text, type: 'telegram' }, 100],
    ['no content of its type', { ...text, type: 'image' }, 131_009],
    ['an empty text', { ...text, text: { body: '' } }, 100],
    ['a text that is too long', { ...text, text: { body: 'x'.repeat(4_097) } }, 100],
    ['a caption that is too long', { ...text, type: 'image', image: { id: '1', caption: 'x'.repeat(1_025) } }, 100],
    [
      'four buttons',
      {
        ...text,
        type: 'interactive',
        interactive: { type: 'button', body: { text: 'x' }, action: { buttons: [{}, {}, {}, {}] } },
      },
      100,
    ],
    [
      'a template nobody approved',
      { ...text, type: 'template', template: { name: 'none', language: { code: 'en' } } },
      132_001,
    ],
    [
      'a template in another language',
      { ...text, type: 'template', template: { name: 'hello_world', language: { code: 'pt_BR' } } },
      132_001,
    ],
    ['a template with an empty value', { ...text, type: 'template', template: orderUpdate('Ana', ' ') }, 131_008],
    ['a line break in a value', { ...text, type: 'template', template: orderUpdate('Ana', '10\n42') }, 132_018],
    ['a tab in a value', { ...text, type: 'template', template: orderUpdate('Ana', '10\t42') }, 132_018],
    ['five spaces in a value', { ...text, type: 'template', template: orderUpdate('Ana', '10     42') }, 132_018],
    [
      'values that are too long together',
      { ...text, type: 'template', template: orderUpdate('A'.repeat(900), '4'.repeat(100)) },
      132_005,
    ],
    [
      'a template without its values',
      { ...text, type: 'template', template: { name: 'order_update', language: { code: 'en' } } },
      132_000,
    ],
    [
      'a reaction to nothing',
      { ...text, type: 'reaction', reaction: { message_id: 'wamid.none', emoji: '👍' } },
      131_009,
    ],
    ['a file that was never uploaded', { ...text, type: 'image', image: { id: '1' } }, 100],
    ['a user id nobody has', { ...text, to: undefined, recipient: 'US.1' }, 131_026],
    ['no object', [], 100],
    ['no JSON', '{"messaging_product":', 100],
  ])('refuses %s with Graph’s code', async (_what, body, code) => {
    const { status, body: answer } = await post(body)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(answer.error).toMatchObject({
      type: 'OAuthException',
      code,
      message: expect.any(String),
      fbtrace_id: expect.any(String),
    })
  })

  test('accepts each of its templates with matching values', async () => {
    const template = (name: string, code: string, components?: object[]) =>
      post({ ...text, type: 'template', template: { name, language: { code }, components } })
    const body = (...values: string[]) => ({
      type: 'body',
      parameters: values.map((value) => ({ type: 'text', text: value })),
    })
    const header = { type: 'header', parameters: [{ type: 'image', image: { id: '1' } }] }
    expect((await template('hello_world', 'en_US')).status).toBe(200)
    expect((await template('order_update', 'en', [body('Ana', '1042')])).status).toBe(200)
    expect((await template('spring_offer', 'en', [header, body('Ana')])).status).toBe(200)
  })

  interface Upload {
    readonly type?: string
    readonly part?: string
    readonly name?: string
    readonly bytes?: Buffer
  }
  const upload = (file: Upload) => {
    const { type = 'image/png', part = type, name = 'a.png', bytes = Buffer.from('picture') } = file
    const form = new FormData()
    form.set('messaging_product', 'whatsapp')
    form.set('type', type)
    form.set('file', new Blob([new Uint8Array(bytes)], { type: part }), name)
    return ask(`v26.0/${credentials.phoneNumberId}/media`, { method: 'POST', body: form })
  }

  test.each([
    ['a type that is not on its list', { type: 'application/zip', name: 'a.zip' }, 100],
    ['a file of no type', { type: 'application/octet-stream', name: 'a.bin' }, 100],
    ['an alias of a type', { type: 'image/jpg', name: 'a.jpg' }, 100],
    ['no type', { type: '', part: 'image/png' }, 100],
    ['a name without an extension', { name: 'file' }, 131_053],
    ['an extension of another type', { name: 'a.jpg' }, 131_053],
    ['a part of another type', { part: 'application/octet-stream' }, 131_053],
    ['a file of another type', { type: 'image/jpeg', name: 'a.jpg', bytes: sampleOf('image').bytes }, 131_053],
    ['an image that is too large', { bytes: Buffer.alloc(5 * 1024 * 1024 + 1) }, 131_053],
    ['Ogg without Opus', { type: 'audio/ogg', name: 'a.ogg', bytes: Buffer.from('OggS') }, 131_053],
    ['a sticker that is too large', { type: 'image/webp', name: 'a.webp', bytes: Buffer.alloc(101 * 1024) }, 131_053],
  ])('refuses an upload with %s', async (_what, file, code) => {
    expect((await upload(file)).body.error).toMatchObject({ type: 'OAuthException', code })
  })

  test('accepts a voice note, and refuses to send it as a picture', async () => {
    const file = { type: 'audio/ogg', name: 'voice.ogg', bytes: sampleOf('audio').bytes }
    const { body: made } = await upload(file)
    expect((await post({ ...text, type: 'image', image: { id: made.id } })).body.error.code).toBe(131_053)
    expect((await post({ ...text, type: 'audio', audio: { id: made.id, voice: true } })).status).toBe(200)
  })

  test('returns a file at a URL that needs the token and expires after five minutes', async () => {
    const { body: made } = await upload({})
    const { body: found } = await ask(`v26.0/${made.id}`)
    expect(found).toMatchObject({
      mime_type: 'image/png',
      file_size: 7,
      sha256: createHash('sha256').update('picture').digest('hex'),
    })
    const path = found.url.slice(world.graph.url().length + 1) as string
    expect((await ask(path)).body).toBe('picture')
    expect((await ask(path, { token: null })).status).toBe(401)
    expect((await ask(path.replace(/ext=\d+/, `ext=${Date.now() + 9_999_999}`))).status).toBe(404)
    const other = await world.number('12025550299')
    expect((await ask(`v26.0/${made.id}`, { token: other.accessToken })).status).toBe(400)
  })

  test('shows a number only to its own token', async () => {
    const other = await world.number('12025550298')
    expect((await ask(`v26.0/${credentials.phoneNumberId}`, { token: other.accessToken })).status).toBe(400)
    expect(
      (await ask(`v26.0/${credentials.phoneNumberId}?appsecret_proof=${'0'.repeat(64)}`)).body.error.message,
    ).toContain('appsecret_proof')
  })

  test('sends no message from a number that is not registered', async () => {
    const fresh = await world.number('12025550297', { isRegistered: false })
    const path = `v26.0/${fresh.phoneNumberId}`
    const send = () => ask(`${path}/messages`, { method: 'POST', body: text, token: fresh.accessToken })
    expect((await send()).body.error.code).toBe(133_010)
    expect(
      (
        await ask(`${path}/register`, {
          method: 'POST',
          body: { messaging_product: 'whatsapp', pin: '12' },
          token: fresh.accessToken,
        })
      ).status,
    ).toBe(400)
    await ask(`${path}/register`, {
      method: 'POST',
      body: { messaging_product: 'whatsapp', pin: '123456' },
      token: fresh.accessToken,
    })
    expect((await send()).status).toBe(200)
  })
})

describe('the adapter with a faulty Graph API over a real socket', () => {
  let world: GraphWorld
  let credentials: Credentials
  let instance: EngineInstance
  beforeEach(async () => {
    world = await graphWorld()
    credentials = await world.number('12025550200')
    instance = await world.connect(credentials)
  })
  afterEach(() => world.close())

  const phone = async (number = ANA) =>
    (await world.network.listMessages(world.accountId, number, Number.MAX_SAFE_INTEGER, 500)).length
  const cause = (kind: Parameters<GraphWorld['graph']['cause']>[1], times = 1) =>
    world.graph.cause(credentials.phoneNumberId, kind, times)
  const read = (messageId: string) => soon('read', () => world.statuses(instance, messageId).includes('read'))

  test.each(['close_after_read', 'malformed_json'] as const)(
    '%s: the outcome is unknown to the sender, but receipts show that the message was delivered once',
    async (kind) => {
      cause(kind)
      const { messageId, outcome } = await world.send(instance, { to: ANA })
      expect(outcome).toMatchObject({ kind: 'unknown' })
      await read(messageId)
      expect(world.statuses(instance, messageId)).toEqual(['sent', 'delivered', 'read'])
      expect(world.of(instance, 'receipt')[0]?.engineMessageId).toMatch(/^wamid\./)
      expect(await phone()).toBe(1)
    },
  )

  test('slow response headers are awaited until the deadline, and then the outcome is unknown', async () => {
    cause('slow_headers', 2)
    expect((await world.send(instance, { to: ANA }, 5_000)).outcome).toMatchObject({ kind: 'accepted' })
    const { messageId, outcome } = await world.send(instance, { to: ANA }, 300)
    expect(outcome).toMatchObject({ kind: 'unknown' })
    await read(messageId)
  })

  test.each(['close_before_read', 'server_error'] as const)(
    '%s: nothing arrives, and the outcome is unknown to the sender',
    async (kind) => {
      cause(kind)
      expect((await world.send(instance, { to: ANA })).outcome).toMatchObject({ kind: 'unknown' })
      await pause(50)
      expect([await phone(), world.of(instance, 'receipt')]).toEqual([0, []])
    },
  )

  test('without a listener nothing is sent, and sending works again once there is one', async () => {
    await world.graph.stopListening()
    expect((await world.send(instance, { to: ANA })).outcome).toMatchObject({ kind: 'nothing_sent' })
    expect(world.official.engine.evidence(instance).reachable).toBe(false)
    await world.graph.listen(0)
    expect((await world.send(instance, { to: ANA })).outcome).toMatchObject({ kind: 'accepted' })
    expect(world.official.engine.evidence(instance).reachable).toBe(true)
  })

  test('an invalid token is reported once, and the onboarding page is offered again', async () => {
    await world.graph.killToken(credentials.phoneNumberId)
    expect((await world.send(instance, { to: ANA })).outcome).toMatchObject({ kind: 'not_ready' })
    expect(world.of(instance, 'auth_failed')).toMatchObject([{ reason: 'token_revoked', code: 190 }])
    expect(await world.official.engine.onboarding?.token(instance)).toEqual(expect.any(String))
  })

  test('repeated callbacks in the wrong order are reported unchanged, because the rooms decide what they change', async () => {
    cause('duplicate_callbacks', 1)
    cause('reorder_callbacks', 3)
    const { messageId } = await world.send(instance, { to: ANA })
    await soon('six', () => world.statuses(instance, messageId).length === 6)
    expect(world.statuses(instance, messageId)).toEqual(['read', 'read', 'delivered', 'delivered', 'sent', 'sent'])
  })

  test('a callback for two numbers reaches both instances, each with its own message', async () => {
    const second = await world.number('12025550201', { wabaId: credentials.wabaId })
    const other = await world.connect(second)
    cause('batch_callbacks', 2)
    world.graph.cause(second.phoneNumberId, 'batch_callbacks', 2)
    const say = (to: string, text: string) =>
      world.network.speak(world.accountId, ANA, { to, group: null, content: { type: 'text', text } })
    await say('12025550200', 'To the first')
    await say('12025550201', 'To the second')
    await soon('both', () => world.of(instance, 'received').length + world.of(other, 'received').length === 2)
    expect([world.of(instance, 'received'), world.of(other, 'received')].map(([one]) => one?.text)).toEqual([
      'To the first',
      'To the second',
    ])
  })

  test('a person who hides their number can write and be answered', async () => {
    const say = (text: string) =>
      world.network.speak(world.accountId, HIDDEN, { to: '12025550200', group: null, content: { type: 'text', text } })
    await say('Who am I?')
    await soon('heard', () => world.of(instance, 'received').length === 1)
    expect(world.of(instance, 'received')[0]).toMatchObject({
      chat: `US.${HIDDEN}`,
      from: `US.${HIDDEN}`,
      fromLid: `US.${HIDDEN}`,
    })
    const { messageId } = await world.send(instance, { to: `US.${HIDDEN}` })
    await read(messageId)
    expect(await phone(HIDDEN)).toBe(1)
  })

  test('a forwarded message has its mark, also the one for frequent forwarding', async () => {
    const passOn = (text: string, marks: object) =>
      world.network.speak(world.accountId, ANA, {
        ...{ to: '12025550200', group: null },
        content: { type: 'text', text, details: { forwarded: true, ...marks } },
      })
    await passOn('Once', {})
    await passOn('Often', { frequently_forwarded: true })
    await soon('heard', () => world.of(instance, 'received').length === 2)
    const marked = world.of(instance, 'received').map(({ text, forwarded }) => [text, forwarded])
    expect(new Map(marked as [string, string][])).toEqual(
      new Map([
        ['Once', 'forwarded'],
        ['Often', 'frequently'],
      ]),
    )
  })

  describe('a number of another portfolio, with other ids for the same people', () => {
    const OLD = `US.${HIDDEN}`
    const portfolio = () => world.official.engine.evidence(instance).portfolio?.id
    const writes = (to: string, content: object = { type: 'text', text: 'It is me' }) =>
      world.network.speak(world.accountId, HIDDEN, {
        to,
        group: null,
        content: content as { type: 'text'; text: string },
      })
    let other: Credentials

    async function move() {
      await soon('the portfolio', () => portfolio() === credentials.portfolioId)
      other = await world.number('12025550201')
      await world.official.engine.logout(instance)
      const token = (await world.official.engine.onboarding?.token(instance)) ?? ''
      expect(await world.official.onboarding.paste(token, { ...other, pin: '' })).toMatchObject({ kind: 'connected' })
      await soon('the other portfolio', () => portfolio() === other.portfolioId)
    }

    test('sends nothing to an old id, also after a restart', async () => {
      await writes('12025550200')
      await soon('heard', () => world.of(instance, 'received').length === 1)
      const before = await phone(HIDDEN)
      await move()
      await world.restart()
      const refused = {
        kind: 'refused',
        error: {
          code: 'undeliverable',
          provider_code: null,
          message: expect.stringContaining('another business portfolio'),
        },
      }
      expect((await world.send(instance, { to: OLD })).outcome).toMatchObject(refused)
      const payload = { recipient: OLD, type: 'text', text: { body: 'Hi' } }
      expect((await world.send(instance, { kind: 'cloud_api', payload, to: OLD })).outcome).toMatchObject(refused)
      await expect(world.official.engine.direct?.block?.(instance, OLD, true)).rejects.toMatchObject({
        code: 'invalid_state',
      })
      await writes('12025550201')
      await soon('heard again', () => world.of(instance, 'received').length === 2)
      const { chat } = world.of(instance, 'received')[1]!
      expect(chat).not.toBe(OLD)
      const { messageId, outcome } = await world.send(instance, { to: chat })
      expect(outcome).toMatchObject({ kind: 'accepted' })
      await read(messageId)
      expect(await phone(HIDDEN)).toBe(before + 1)
    })

    test('sends to a number that was learned under the old id, and the person stays one contact', async () => {
      const shared = { type: 'contact', text: 'Ana', details: { name: 'Ana', number: ANA, origin: 'contact_request' } }
      await writes('12025550200')
      await writes('12025550200', shared)
      await soon('the number', () => world.of(instance, 'contact').length === 1)
      await move()
      const { messageId, outcome } = await world.send(instance, { to: OLD })
      expect(outcome).toMatchObject({ kind: 'accepted' })
      await read(messageId)
      expect(await phone()).toBe(1)
      await writes('12025550201', shared)
      await soon('the new id', () => world.of(instance, 'contact').length === 2)
      const [first, second] = world.of(instance, 'contact')
      expect([first?.number, second?.number]).toEqual([ANA, ANA])
      expect(second?.hiddenId).not.toBe(first?.hiddenId)
      expect(world.of(instance, 'received').at(-1)).toMatchObject({ chat: ANA })
    })
  })

  test('a person who hides their number can be asked for it, and stays one contact when it is known', async () => {
    const say = (text: string) =>
      world.network.speak(world.accountId, HIDDEN, { to: '12025550200', group: null, content: { type: 'text', text } })
    await say('Please call me')
    await soon('heard', () => world.of(instance, 'received').length === 1)
    const payload = interactivePayload({ type: 'request_contact_info', body: 'May we have your number?' })
    const { messageId, outcome } = await world.send(instance, { kind: 'cloud_api', to: `US.${HIDDEN}`, payload })
    if (outcome.kind !== 'accepted') throw new Error(outcome.kind)
    await read(messageId)
    await world.network.tap(world.accountId, HIDDEN, outcome.engineMessageId, {})
    await soon('shared', () => world.of(instance, 'received').length === 2)
    expect(world.of(instance, 'contact')).toMatchObject([{ hiddenId: `US.${HIDDEN}`, number: HIDDEN }])
    expect(world.of(instance, 'received')[1]).toMatchObject({
      ...{ chat: HIDDEN, from: HIDDEN },
      content: { type: 'contacts', contacts: [{ numbers: [HIDDEN] }] },
    })
    await say('Thank you')
    await soon('heard', () => world.of(instance, 'received').length === 3)
    expect(world.of(instance, 'received')[2]).toMatchObject({ chat: HIDDEN })
  })

  test('free text to a person who never wrote is accepted and then reported as failed with 131047', async () => {
    const { messageId, outcome } = await world.send(instance, { to: '12025550105' })
    expect(outcome).toMatchObject({ kind: 'accepted' })
    await soon('failed', () => world.statuses(instance, messageId).length > 0)
    expect(world.statuses(instance, messageId)).toEqual(['failed'])
    expect(world.of(instance, 'failed')[0]?.error).toMatchObject({ code: 'outside_window', provider_code: 131_047 })
    expect(await phone('12025550105')).toBe(0)
    const payload = { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } }
    const template = await world.send(instance, { kind: 'cloud_api', to: '12025550105', payload })
    await read(template.messageId)
  })

  test('a file is sent and received completely', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251))
    const media = {
      kind: 'media',
      mediaType: 'document',
      mimeType: 'application/pdf',
      content: contentOf(bytes),
      caption: null,
      filename: 'a.pdf',
    } as const
    const { messageId } = await world.send(instance, { ...media, to: ANA })
    await read(messageId)
    const [arrived] = await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 1)
    expect(arrived?.content).toMatchObject({ type: 'document', media: { size: 300_000, filename: 'a.pdf' } })
    const image = {
      type: 'image',
      text: null,
      media: { mimeType: 'image/png', size: 5_931, filename: 'i.png', caption: 'Look' },
    } as const
    await world.network.speak(world.accountId, ANA, { to: '12025550200', group: null, content: image })
    await soon('heard', () => world.of(instance, 'received').length === 1)
    const [heard] = world.of(instance, 'received')
    const file = await world.official.engine.media?.(instance, heard?.media?.id ?? '')
    expect([file?.mimeType, file?.content.size]).toEqual(['image/png', heard?.media?.size])
    expect(await world.official.engine.media?.(instance, 'nothing')).toBeNull()
  })

  test('a reply of any kind shows the quoted message on the phone, and is sent without a quote if that is unknown', async () => {
    const text = { kind: 'text', text: 'Open?' } as const
    const { message } = await world.network.speak(world.accountId, ANA, {
      to: '12025550200',
      group: null,
      content: { type: 'text', text: 'Open?' },
    })
    const said = { chat: ANA, isOwn: false, participant: null, type: 'text', text: 'Open?' }
    const shown = async (out: Partial<Outgoing>) => {
      const { messageId, outcome } = await world.send(instance, { ...out, to: ANA })
      expect(outcome).toMatchObject({ kind: 'accepted' })
      await read(messageId)
      const [{ content } = { content: null }] = await world.network.listMessages(
        world.accountId,
        ANA,
        Number.MAX_SAFE_INTEGER,
        1,
      )
      return [content?.type, content?.quoted]
    }
    const quoted = { ...said, engineMessageId: message.id }
    const file = {
      mimeType: 'image/png',
      content: contentOf(Buffer.from('PNG')),
      caption: null,
      filename: null,
    } as const
    expect(await shown({ ...text, quoted })).toEqual(['text', message.id])
    expect(await shown({ kind: 'media', mediaType: 'image', ...file, quoted })).toEqual(['image', message.id])
    const place = { type: 'location', location: { latitude: 1, longitude: 2 }, context: { message_id: message.id } }
    expect(await shown({ kind: 'cloud_api', payload: place })).toEqual(['location', message.id])
    expect(await shown({ ...text, quoted: { ...quoted, engineMessageId: 'wamid.none' } })).toEqual(['text', undefined])
  })

  test('a reaction sent as a raw payload is a reaction on the phone', async () => {
    const said = await world.network.speak(world.accountId, ANA, {
      to: '12025550200',
      group: null,
      content: { type: 'text', text: 'Hi' },
    })
    const payload = { type: 'reaction', reaction: { message_id: said.message.id, emoji: '👍' } }
    expect((await world.send(instance, { kind: 'cloud_api', to: ANA, payload })).outcome).toMatchObject({
      kind: 'accepted',
    })
    const [message] = await world.network.listMessages(world.accountId, '12025550200', Number.MAX_SAFE_INTEGER, 1)
    expect(message?.reactions).toEqual({ '12025550200': '👍' })
  })

  test('webhook fields that are not selected for the app are listed in the health of the number', async () => {
    const missing = () => world.official.engine.evidence(instance).issues?.find(({ code }) => code === 'fields_missing')
    world.graph.unselectFields(['user_preferences'])
    await world.restart()
    await world.official.engine.start(instance)
    await soon('named', () => missing()?.message.includes('user_preferences,') === true)
    world.graph.unselectFields([])
    await world.official.engine.start(instance)
    await soon('selected', () => missing() === undefined)
  })

  test('Meta’s signup needs a public address, and the simulated Meta issues a signup code', async () => {
    const fresh = await world.number('12025550210')
    const target = world.instance()
    const token = (await world.official.engine.onboarding?.token(target)) ?? ''
    // Without a public address there is nowhere to come back to.
    await expect(world.official.onboarding.beginSignup(token)).rejects.toMatchObject({ code: 'not_found' })
    expect(world.graph.signUp(fresh.phoneNumberId)).toMatch(/^[\w-]{24}$/)
  })
})

test('no log line contains a token, a secret, a number or a message text', async () => {
  const lines: string[] = []
  const write = (fields: object) => void lines.push(JSON.stringify(fields))
  const log: Log = { debug: write, info: write, warn: write, error: write }
  const world = await graphWorld({ log })
  const credentials = await world.number('12025550200')
  const instance = await world.connect(credentials)
  await world.send(instance, { to: ANA, text: 'Nobody may read this' })
  await world.network.speak(world.accountId, ANA, {
    to: '12025550200',
    group: null,
    content: { type: 'text', text: 'Nor this' },
  })
  await world.graph.callBack(credentials.phoneNumberId, {
    field: 'messages',
    value: {
      metadata: { phone_number_id: credentials.phoneNumberId },
      messages: [{ from: ANA, type: 'text', text: { body: 'Unreadable secret' } }],
    },
  })
  await world.graph.callBack(credentials.phoneNumberId, {
    field: 'messages',
    value: {
      metadata: { phone_number_id: '999' },
      messages: [{ from: ANA, id: 'x', timestamp: '1767614400', type: 'text', text: { body: 'For nobody' } }],
    },
  })
  await world.graph.killToken(credentials.phoneNumberId)
  await world.send(instance, { to: ANA })
  await pause(100)
  await world.close()
  const said = lines.join('\n')
  expect(lines.length).toBeGreaterThan(1)
  for (const secret of [
    credentials.accessToken,
    credentials.appSecret,
    ANA,
    '12025550200',
    'Nobody may',
    'Nor this',
    'Unreadable',
    'For nobody',
    'verify_token',
  ]) {
    expect(said).not.toContain(secret)
  }
})
