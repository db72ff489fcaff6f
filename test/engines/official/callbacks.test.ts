import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance, EngineSignal } from '../../../main/engines/engine.ts'
import { bytesOf } from '../../support/file.ts'
import { settle } from '../../support/clock.ts'
import {
  ANA,
  answered,
  APP_SECRET,
  cloudWorld,
  messagesBody,
  messagesChange,
  OURS,
  PHONE_NUMBER_ID,
  signed,
  statusOf,
  textFrom,
  WABA_ID,
  type CloudWorld,
} from './cloud-world.ts'

let world: CloudWorld
let instance: EngineInstance
beforeEach(async () => {
  world = await cloudWorld()
  instance = await world.connected()
})
afterEach(() => world.close())

const stored = () =>
  world.data.raw.prepare('SELECT problem FROM official_callbacks ORDER BY seq').all() as { problem: string | null }[]
const one = messagesBody({ messages: [textFrom(ANA, 'wamid.1')] })
const take = (body: Buffer, signature: string | undefined) =>
  world.official.callbacks.take(instance.id, signature, body)

describe('the signature', () => {
  test('over the exact bytes of the body is accepted', async () => {
    const bytes = Buffer.from(JSON.stringify(one, null, 2))
    await take(bytes, signed(bytes))
    await settle()
    expect(world.of(instance, 'received')).toHaveLength(1)
  })

  test.each([
    ['is missing', () => undefined],
    ['is of another secret', (bytes: Buffer) => signed(bytes, 'f'.repeat(32))],
    ['is of other bytes', () => signed(Buffer.from('{}'))],
    ['has another prefix', (bytes: Buffer) => signed(bytes).replace('sha256', 'sha1')],
    ['is cut short', (bytes: Buffer) => signed(bytes).slice(0, -2)],
    ['is in capitals', (bytes: Buffer) => signed(bytes).toUpperCase()],
    ['is followed by something', (bytes: Buffer) => `${signed(bytes)}00`],
  ])('that %s is refused, and nothing is stored', async (_what, signatureOf) => {
    const bytes = Buffer.from(JSON.stringify(one))
    await expect(take(bytes, signatureOf(bytes))).rejects.toMatchObject({ code: 'unauthorized', status: 401 })
    expect([stored(), world.told(instance)]).toEqual([[], []])
  })

  test('of re-serialized JSON is refused', async () => {
    const sent = Buffer.from(JSON.stringify(one, null, 2))
    const rewritten = Buffer.from(JSON.stringify(JSON.parse(sent.toString())))
    await expect(take(rewritten, signed(sent))).rejects.toMatchObject({ code: 'unauthorized' })
  })

  test('cannot be checked for an instance without a number, or an unknown one', async () => {
    const bytes = Buffer.from(JSON.stringify(one))
    const other = world.instance()
    await world.official.engine.onboarding?.token(other)
    for (const id of [other.id, world.instance().id, 'nobody', '']) {
      await expect(world.official.callbacks.take(id, signed(bytes), bytes)).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  test('waits for the keychain: Meta repeats callbacks answered with 503', async () => {
    await world.restart()
    world.vault.key = null
    const bytes = Buffer.from(JSON.stringify(one))
    await expect(take(bytes, signed(bytes))).rejects.toMatchObject({ code: 'sealed', status: 503 })
    world.vault.key = Buffer.alloc(32, 1)
    await world.official.engine.begin()
    await take(bytes, signed(bytes))
    await settle()
    expect(world.of(instance, 'received')).toHaveLength(1)
  })
})

describe('the challenge', () => {
  const confirm = async (more: object) => {
    const { verifyToken } = await tokenOf()
    return world.official.callbacks.confirm(instance.id, {
      mode: 'subscribe',
      verifyToken,
      challenge: '1158201444',
      ...more,
    })
  }
  /** As it stands at Meta: told when the number was connected. */
  async function tokenOf(): Promise<{ verifyToken: string }> {
    const other = world.instance()
    const token = (await world.official.engine.onboarding?.token(other)) ?? ''
    const { verifyToken } = await world.official.onboarding.view(token)
    instance = other
    return { verifyToken: verifyToken.open() }
  }

  test('is answered when the token is right', async () => {
    expect(await confirm({})).toBe('1158201444')
  })
  test.each([{ verifyToken: 'wrong' }, { verifyToken: undefined }, { verifyToken: '' }])(
    'is not answered for %j',
    async (more) => {
      await expect(confirm(more)).rejects.toMatchObject({ code: 'unauthorized' })
    },
  )
  test.each([{ mode: 'unsubscribe' }, { mode: undefined }, { challenge: undefined }])(
    'is refused with %j',
    async (more) => {
      await expect(confirm(more)).rejects.toMatchObject({ code: 'validation_error' })
    },
  )
})

describe('an accepted callback', () => {
  test('survives a kill before it was processed, and is reported once', async () => {
    await world.official.engine.close()
    await world.callBack(instance, one)
    expect([stored().length, world.told(instance)]).toEqual([1, []])
    await world.restart()
    await world.official.engine.resume(instance)
    expect(world.told(instance)).toEqual([])
    await world.official.engine.begin()
    await settle()
    expect([stored(), world.of(instance, 'received').length]).toEqual([[], 1])
  })

  test('is reported again until the rooms accept it, in order within its chat', async () => {
    world.sink.refusals = 1
    await world.callBack(
      instance,
      messagesBody({ messages: [textFrom(ANA, 'a', 'First'), textFrom(ANA, 'b', 'Second')] }),
    )
    expect([stored().length, world.told(instance)]).toEqual([1, []])
    await world.clock.advance(1_000)
    expect(world.of(instance, 'received').map(({ text }) => text)).toEqual(['First', 'Second'])
    expect(stored()).toEqual([])
  })

  test('of a later message in a chat does not overtake one that was refused', async () => {
    world.sink.refusals = 1
    const bytes = [textFrom(ANA, 'a', 'First'), textFrom(ANA, 'b', 'Second')].map((message) =>
      Buffer.from(JSON.stringify(messagesBody({ messages: [message] }))),
    )
    await Promise.all(bytes.map((body) => take(body, signed(body))))
    await settle()
    await world.clock.advance(1_000)
    expect(world.of(instance, 'received').map(({ text }) => text)).toEqual(['First', 'Second'])
  })

  test('is kept, and the next one processed, if the rooms refuse it permanently', async () => {
    world.sink.refusals = 5
    await world.callBack(instance, one)
    for (let i = 0; i < 6; i++) await world.clock.advance(1_000)
    await world.callBack(instance, messagesBody({ messages: [textFrom(ANA, 'wamid.2', 'Next')] }))
    expect(world.of(instance, 'received').map(({ text }) => text)).toEqual(['Next'])
    expect(stored()).toEqual([{ problem: 'not taken' }])
    expect(world.official.engine.evidence(instance).issues).toMatchObject([{ code: 'callbacks_unread' }])
  })

  test('that cannot be parsed is kept for a week and stops no others', async () => {
    await world.callBack(instance, Buffer.from('not json'))
    await world.callBack(instance, messagesBody({ messages: [{ type: 'text' }, textFrom(ANA, 'wamid.1')] }))
    expect(stored()).toEqual([{ problem: 'not a callback' }, { problem: 'messages[0]' }])
    expect(world.of(instance, 'received')).toHaveLength(1)
    expect(world.official.engine.evidence(instance).issues?.[0]?.message).toContain('2 calls of Meta')
    world.clock.suspend(8 * 24 * 3_600_000)
    await world.restart()
    await world.official.engine.begin()
    expect(stored()).toEqual([])
  })
})

describe('the instance of a callback', () => {
  const batch = (...changes: object[]) => ({ object: 'whatsapp_business_account', entry: [{ id: WABA_ID, changes }] })

  test('is the one with the number of each change', async () => {
    const other = await world.connected({ phoneNumberId: '222222', number: '12025550201' })
    await world.callBack(
      instance,
      batch(
        messagesChange({ messages: [textFrom(ANA, 'a')] }),
        messagesChange({ messages: [textFrom(ANA, 'b')] }, '222222'),
      ),
    )
    expect(world.of(instance, 'received').map(({ engineMessageId }) => engineMessageId)).toEqual(['a'])
    expect(world.of(other, 'received').map(({ engineMessageId }) => engineMessageId)).toEqual(['b'])
  })

  test('is never one that belongs to another app than the one that signed', async () => {
    const other = await world.connected({ phoneNumberId: '222222', number: '12025550201', appSecret: 'e'.repeat(32) })
    await world.callBack(instance, batch(messagesChange({ messages: [textFrom(ANA, 'b')] }, '222222')))
    expect([world.told(other), world.told(instance), stored()]).toEqual([[], [], []])
  })

  test('is unknown for an unknown number, and the callback is dropped', async () => {
    await world.callBack(instance, messagesBody({ messages: [textFrom(ANA, 'x')] }, '999999'))
    expect([world.told(instance), stored()]).toEqual([[], []])
  })
})

describe('statuses', () => {
  test('refer to a message by its message_id or by Meta’s id', async () => {
    const { messageId } = await world.send(instance)
    world.forget()
    await world.callBack(
      instance,
      messagesBody({
        statuses: [
          statusOf('wamid.7', 'sent', { biz_opaque_callback_data: messageId }),
          statusOf('wamid.8', 'delivered'),
        ],
      }),
    )
    const billing = { numberId: PHONE_NUMBER_ID, businessId: WABA_ID, recipient: ANA, price: null }
    const shared = { kind: 'receipt', atMs: 1_767_614_401_000, billing }
    expect(world.of(instance, 'receipt')).toEqual([
      { ...shared, messageId, engineMessageId: 'wamid.7', status: 'sent' },
      { ...shared, messageId: null, engineMessageId: 'wamid.8', status: 'delivered' },
    ])
  })

  test.each([
    [
      { billable: true, pricing_model: 'PMP', type: 'regular', category: 'marketing' },
      { category: 'marketing', type: 'regular', model: 'PMP', billable: true },
    ],
    [{ type: 'free_tier_2027' }, { category: null, type: 'free_tier_2027', model: null, billable: null }],
    [
      { category: 'x'.repeat(100), billable: 'yes' },
      { category: 'x'.repeat(64), type: null, model: null, billable: null },
    ],
    [{}, null],
    ['free', null],
  ])('contain Meta’s price: %j', async (pricing, price) => {
    await world.callBack(instance, messagesBody({ statuses: [statusOf('wamid.7', 'read', { pricing })] }))
    expect(world.of(instance, 'receipt')[0]?.billing?.price).toEqual(price)
  })

  test('with opaque data of another system are reported with Meta’s id', async () => {
    await world.callBack(
      instance,
      messagesBody({ statuses: [statusOf('wamid.7', 'sent', { biz_opaque_callback_data: 'msg_not-ours' })] }),
    )
    expect(world.of(instance, 'receipt')).toMatchObject([{ messageId: null, engineMessageId: 'wamid.7' }])
  })

  test('wait until the id of their message is stored', async () => {
    let arrive = () => {}
    world.answer((_request, path) =>
      path.endsWith('/messages')
        ? new Promise((resolve) => (arrive = () => resolve(answered(200, { messages: [{ id: 'wamid.7' }] }))))
        : undefined,
    )
    const payload = { type: 'text', text: { body: 'x' }, biz_opaque_callback_data: 'mine' }
    const sending = world.send(instance, { kind: 'cloud_api', payload } as never)
    await settle()
    await world.callBack(instance, messagesBody({ statuses: [statusOf('wamid.7', 'sent')] }))
    expect(world.told(instance)).toEqual([])
    arrive()
    await sending
    await world.clock.advance(1_000)
    expect(world.of(instance, 'receipt')).toMatchObject([{ engineMessageId: 'wamid.7' }])
  })

  test('that failed contain an explained reason', async () => {
    const errors = [{ code: 131_047, error_data: { details: 'x' } }]
    await world.callBack(instance, messagesBody({ statuses: [statusOf('wamid.7', 'failed', { errors })] }))
    expect(world.of(instance, 'failed')).toMatchObject([
      { engineMessageId: 'wamid.7', error: { code: 'outside_window', provider_code: 131_047 } },
    ])
  })

  test('that failed because of a payment problem put the number on hold until a later message is sent', async () => {
    const hold = () => world.official.engine.evidence(instance).hold
    const nowSeconds = Math.floor(world.clock.now() / 1_000)
    const errors = [{ code: 131_042, error_data: { details: 'No payment method' } }]
    await world.callBack(instance, messagesBody({ statuses: [statusOf('wamid.7', 'failed', { errors })] }))
    expect(hold()).toMatchObject({ reason: 'payment', untilMs: null })
    const before = { timestamp: String(nowSeconds - 60) }
    await world.callBack(instance, messagesBody({ statuses: [statusOf('wamid.6', 'sent', before)] }))
    expect(hold()).toMatchObject({ reason: 'payment' })
    const after = { timestamp: String(nowSeconds + 60) }
    await world.callBack(instance, messagesBody({ statuses: [statusOf('wamid.8', 'sent', after)] }))
    expect(hold()).toBeNull()
  })
})

test.each([
  [131_042, 'payment'],
  [131_000, null],
])('the error %i for the whole number, not for a message, sets the hold %s', async (code, reason) => {
  const errors = [{ code, title: 'Error', error_data: { details: 'Business eligibility' } }]
  await world.callBack(instance, messagesBody({ errors }))
  const { hold, issues = [] } = world.official.engine.evidence(instance)
  expect(hold?.reason ?? null).toBe(reason)
  expect(issues.some(({ code: issue }) => issue === 'held_payment')).toBe(reason !== null)
})

describe('people who hide their number', () => {
  const hidden = (id: string, more: object = {}) => ({
    from_user_id: 'US.123',
    id,
    timestamp: '1767614400',
    type: 'text',
    text: { body: 'Hi' },
    ...more,
  })

  test('are identified by the id from Meta, and can be replied to', async () => {
    await world.callBack(instance, messagesBody({ contacts: [{ user_id: 'US.123' }], messages: [hidden('a')] }))
    expect(world.of(instance, 'received')).toMatchObject([{ chat: 'US.123', from: 'US.123', fromLid: 'US.123' }])
    expect((await world.send(instance, { to: 'US.123' })).outcome.kind).toBe('accepted')
  })

  test('become one contact with their number once it is shown, which is reported once', async () => {
    await world.callBack(instance, messagesBody({ messages: [hidden('a')] }))
    const both = { contacts: [{ wa_id: ANA, user_id: 'US.123' }], messages: [textFrom(ANA, 'b')] }
    await world.callBack(instance, messagesBody(both))
    await world.callBack(instance, messagesBody({ ...both, messages: [textFrom(ANA, 'c')] }))
    await world.callBack(instance, messagesBody({ messages: [hidden('d')] }))
    expect(world.of(instance, 'contact')).toEqual([{ kind: 'contact', hiddenId: 'US.123', number: ANA }])
    expect(world.of(instance, 'received').map(({ chat }) => chat)).toEqual(['US.123', ANA, ANA, ANA])
  })
})

test('reactions, edits and deletions are reported as such', async () => {
  const act = (type: string, content: object) => ({
    from: ANA,
    id: `wamid.${type}`,
    timestamp: '1767614400',
    type,
    [type]: content,
  })
  const messages = [
    act('reaction', { message_id: 'wamid.0', emoji: '👍' }),
    act('edit', { original_message_id: 'wamid.0', message: { type: 'text', text: { body: 'New' } } }),
    act('revoke', { original_message_id: 'wamid.0' }),
  ]
  await world.callBack(instance, messagesBody({ messages }))
  const spoken = { engineMessageId: 'wamid.0', chat: ANA, from: ANA, fromMe: false, atMs: 1_767_614_400_000 }
  expect(world.told(instance)).toEqual<EngineSignal[]>([
    { kind: 'reaction', emoji: '👍', ...spoken },
    { kind: 'edited', text: 'New', ...spoken },
    { kind: 'deleted', deletedBy: ANA, ...spoken },
  ])
})

test('a message typed on the number’s own phone is reported as from_me', async () => {
  const echo = { from: OURS, to: ANA, id: 'wamid.e', timestamp: '1767614400', type: 'text', text: { body: 'x' } }
  const value = { metadata: { phone_number_id: PHONE_NUMBER_ID }, message_echoes: [echo] }
  await world.callBack(instance, {
    object: 'whatsapp_business_account',
    entry: [{ id: WABA_ID, changes: [{ field: 'smb_message_echoes', value }] }],
  })
  expect(world.of(instance, 'received')).toMatchObject([{ chat: ANA, from: OURS, fromMe: true }])
})

test('a file has its size, and its hash is checked when it is downloaded', async () => {
  const bytes = Buffer.from('picture')
  const sha256 = '3c4d5dd5f5bc5d9c7e9b6ba7f0a4a6e7'.repeat(2)
  const right = (await import('node:crypto')).createHash('sha256').update(bytes).digest('hex')
  let hash = right
  world.answer(({ url }, path) => {
    if (path === '555')
      return answered(200, {
        url: 'https://lookaside.fbsbx.com/x',
        mime_type: 'image/jpeg',
        sha256: hash,
        file_size: 7,
        id: '555',
      })
    return url.startsWith('https://lookaside') ? answered(200, bytes, { 'content-type': 'image/jpeg' }) : undefined
  })
  const image = {
    from: ANA,
    id: 'wamid.m',
    timestamp: '1767614400',
    type: 'image',
    image: { id: '555', mime_type: 'image/jpeg' },
  }
  await world.callBack(instance, messagesBody({ messages: [image] }))
  expect(world.of(instance, 'received')[0]?.media).toEqual({
    id: '555',
    mimeType: 'image/jpeg',
    filename: null,
    caption: null,
    size: 7,
  })
  const file = await world.official.engine.media?.(instance, '555')
  expect(file).toMatchObject({ mimeType: 'image/jpeg', filename: null })
  expect(await bytesOf(file)).toEqual(bytes)
  hash = Buffer.from(right, 'hex').toString('base64')
  expect(await bytesOf(await world.official.engine.media?.(instance, '555'))).toEqual(bytes)
  hash = sha256
  await expect(world.official.engine.media?.(instance, '555')).rejects.toThrow('another hash')
})

test('if Meta does not return the size of a file, the sizes of the next ones are not requested, so callbacks are not delayed', async () => {
  let asked = 0
  world.answer((_, path) => {
    if (!path.startsWith('55')) return undefined
    asked++
    return answered(500, {})
  })
  const image = (id: string) => ({
    ...{ from: ANA, id: `wamid.${id}`, timestamp: '1767614400', type: 'image' },
    image: { id, mime_type: 'image/jpeg' },
  })
  await world.callBack(instance, messagesBody({ messages: ['551', '552', '553'].map(image) }))
  expect(world.of(instance, 'received').map(({ media }) => media?.size)).toEqual([0, 0, 0])
  expect(asked).toBe(1)
  await world.clock.advance(60_000)
  await world.callBack(instance, messagesBody({ messages: [image('554')] }))
  expect(asked).toBe(2)
})

test('the app secret is never stored unencrypted', async () => {
  const file = (await import('node:fs')).readFileSync(`${world.data.dir}/switchboard.db`)
  const wal = (await import('node:fs')).readFileSync(`${world.data.dir}/switchboard.db-wal`)
  for (const secret of [APP_SECRET, 'EAAGTOKEN'])
    expect([file.includes(secret), wal.includes(secret)]).toEqual([false, false])
})
