import type { proto } from 'baileys'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProxy } from '../support/proxy.ts'
import { decodeQr } from '../support/qr.ts'
import { caught, everyPage } from '../support/sandbox.ts'
import { testHome, until, type Api, type RunningService, type TestHome } from '../support/service-process.ts'
import { startWhatsApp } from '../support/stand-in.ts'
import type { Phone, WhatsApp } from '../support/whatsapp/index.ts'
import { connected, pairedLive, shownQr } from '../support/whatsapp/paired.ts'

/** What a live number can do and hears, over the API of the built service. The engine's own tests have the details. */
const OURS = '12025550200'
const ANA = '12025550101'
const BEN = '12025550102'
const CATCHER = 'line'

let whatsapp: WhatsApp
let home: TestHome
let service: RunningService
let key: string
let instance: string
let at: string
let ana: Phone
let ben: Phone

const api: Api = (...asked) => service.api(key)(...asked)

beforeAll(async () => {
  whatsapp = await startWhatsApp()
  home = testHome()
  home.write({ 'pace.per_minute': 0, 'egress.trusted_ranges': ['127.0.0.1/32'] })
  key = (await home.key('Line')).key
  service = await home.start(whatsapp.environment)
  whatsapp.phone(OURS, { name: 'Shop' })
  instance = await pairedLive(api, whatsapp, OURS)
  at = `/v1/instances/${instance}`
  ana = whatsapp.phone(ANA, { name: 'Ana' })
  ben = whatsapp.phone(BEN, { name: 'Ben' })
  const events = ['CALL', 'GROUP', 'CONTACT']
  expect((await api('PUT', `${at}/webhook`, { url: `https://catcher.sandbox/${CATCHER}`, events })).status).toBe(200)
})
afterAll(async () => {
  await home.remove()
  await whatsapp.close()
})

/** As it is on the wire. */
type Data = Record<string, any>
const act = (action: string, body: object = {}) => api('POST', `${at}/engine/smv2/${action}`, body)
const events = () => everyPage<{ type: string; data: Data }>(api, '/v1/events')
const heard = (what: string, is: (data: Data) => boolean) =>
  until(what, async () => (await events()).find(({ type, data }) => type === 'message.received' && is(data))?.data)
const posted = (what: string, is: (body: Data) => boolean) =>
  until(what, async () => (await caught(api, CATCHER)).map(({ body }) => JSON.parse(body) as Data).find(is))

describe('pairing', () => {
  const made = async () => {
    const { body } = await api('POST', '/v1/instances', { engine: 'smv2', network: 'live', name: 'Another' })
    return body.id as string
  }

  test('after a scan with the camera app a new code is shown, and the phone links with it', async () => {
    const phone = whatsapp.phone('12025550201', { scansWith: 'camera' })
    const id = await made()
    const first = await shownQr(api, id)
    await phone.scan(decodeQr(first)).catch(() => {})
    const second = await until('another code', async () => {
      const shown = await shownQr(api, id)
      return shown === first ? undefined : shown
    })
    const updates = (await events()).filter(({ type }) => type === 'instance.qr.updated')
    expect(updates.length).toBeGreaterThan(1)
    await phone.scan(decodeQr(second))
    await connected(api, id)
  })

  test.each([
    [400, 'upstream_unavailable', null],
    [429, 'rate_limited', '300'],
  ] as const)('a pairing code that is refused with %i is never shown', async (code, error, retryAfter) => {
    const id = await made()
    await shownQr(api, id)
    whatsapp.faults.onPairingCode(code)
    const answer = await api('GET', `/v1/instances/${id}/qr?phone=12025550202`)
    expect(answer.body.error).toMatchObject({ code: error, message: expect.stringContaining(String(code)) })
    expect(answer.headers.get('retry-after')).toBe(retryAfter)
    expect((await api('GET', `/v1/instances/${id}/qr`)).body).toMatchObject({ state: 'ready', pairing_code: null })
  })
})

describe('received content', () => {
  const day = 1_790_000_000
  const SAID: readonly (readonly [name: string, message: proto.IMessage, content: Data])[] = [
    [
      'a place',
      { locationMessage: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: 'Shop', address: 'Main St 1' } },
      { type: 'location', latitude: 52.5, longitude: 13.4, name: 'Shop', address: 'Main St 1', live: false },
    ],
    [
      'a place that moves',
      { liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2 } },
      { type: 'location', latitude: 1, live: true },
    ],
    [
      'contacts',
      {
        contactsArrayMessage: {
          displayName: '2 contacts',
          contacts: ['Eva', 'Dan'].map((displayName) => ({
            displayName,
            vcard: `BEGIN:VCARD\nVERSION:3.0\nFN:${displayName}\nTEL;waid=12025550177:+1 202-555-0177\nEND:VCARD`,
          })),
        },
      },
      { type: 'contacts', contacts: [{ name: 'Eva', numbers: ['12025550177'] }, { name: 'Dan' }] },
    ],
    [
      'a button',
      { buttonsResponseMessage: { selectedButtonId: 'yes', selectedDisplayText: 'Yes', type: 1 } },
      { type: 'button_reply', id: 'yes', title: 'Yes' },
    ],
    [
      'a row of a list',
      { listResponseMessage: { title: 'Tea', singleSelectReply: { selectedRowId: 'tea' } } },
      { type: 'list_reply', id: 'tea', title: 'Tea' },
    ],
    [
      'a form',
      {
        interactiveResponseMessage: {
          body: { text: 'Done' },
          nativeFlowResponseMessage: { name: 'flow', paramsJson: '{"id":"7","size":"L"}' },
        },
      },
      { type: 'flow_reply', id: '7', title: 'Done', response: { id: '7', size: 'L' } },
    ],
    [
      'an order',
      { orderMessage: { orderId: 'o1', itemCount: 2, totalAmount1000: 12_500, totalCurrencyCode: 'USD' } },
      { type: 'order', order_id: 'o1', item_count: 2, total: { amount: 12.5, currency: 'USD' } },
    ],
    [
      'a product',
      { productMessage: { product: { productId: 'p1', title: 'Cake', priceAmount1000: 3_000, currencyCode: 'EUR' } } },
      { type: 'product', product_id: 'p1', title: 'Cake', price: { amount: 3, currency: 'EUR' } },
    ],
    [
      'a request to pay',
      { requestPaymentMessage: { amount1000: 5_000, currencyCodeIso4217: 'BRL' } },
      { type: 'payment', action: 'request', amount: { amount: 5, currency: 'BRL' } },
    ],
    [
      'an invitation to an event',
      { eventMessage: { name: 'Tasting', startTime: day } },
      { type: 'event', name: 'Tasting', starts_at: new Date(day * 1_000).toISOString() },
    ],
    [
      'an invitation to a community',
      { groupInviteMessage: { groupJid: '1203@g.us', groupName: 'Village', inviteCode: 'abc', groupType: 1 } },
      { type: 'group_invite', group_id: '1203@g.us', community: true },
    ],
    [
      'an invitation to a channel',
      { newsletterFollowerInviteMessageV2: { newsletterJid: '1203@newsletter', newsletterName: 'News' } },
      { type: 'channel_invite', channel_id: '1203@newsletter', role: 'follower' },
    ],
    [
      'what is newer than the library',
      { encCommentMessage: { encPayload: Buffer.from('sealed') } },
      { type: 'unavailable', reason: 'unsupported' },
    ],
  ]

  test.each(SAID)('%s', async (_name, message, content) => {
    const before = (await events()).filter(({ type }) => type === 'message.received').length
    await ana.send(OURS, message)
    const told = await until('it', async () => {
      const all = (await events()).filter(({ type }) => type === 'message.received')
      return all.length > before ? all[0]?.data : undefined
    })
    expect(told).toMatchObject({ chat: ANA, from: ANA, chat_type: 'person', content })
  })

  test('a view-once message that the network withholds from linked devices', async () => {
    await ana.withhold(OURS, { conversation: 'Secret' }, 'view_once')
    const told = await heard('it', ({ view_once }) => view_once === true)
    expect(told).toMatchObject({ type: 'unavailable', content: { reason: 'view_once' } })
  })

  test('a channel post', async () => {
    whatsapp.phone(OURS).device.post('120363144038483540', { conversation: 'Fresh bread' })
    const told = await heard('it', ({ text }) => text === 'Fresh bread')
    expect(told).toMatchObject({ chat: '120363144038483540@newsletter', chat_type: 'channel', is_group: true })
    const reaction = await act('message/react', { message_id: told['message_id'], emoji: '👍' })
    expect(reaction.body.error.code).toBe('invalid_state')
  })

  test('poll votes: who chose what, a changed vote, and the result', async () => {
    const poll = { to: ANA, question: 'When?', options: ['Today', 'Tomorrow'] }
    const id: string = (await act('send/poll', poll)).body.message_id
    const arrived = await until('the poll', () => ana.received(OURS).find(({ type }) => type === 'poll'))
    for (const choice of ['Today', 'Tomorrow']) {
      await ana.vote(arrived.id, [choice])
      await heard(choice, ({ type, text }) => type === 'poll_vote' && text === choice)
    }
    expect((await api('GET', `${at}/polls/${id}`)).body).toMatchObject({
      question: 'When?',
      options: [
        { text: 'Today', votes: 0 },
        { text: 'Tomorrow', votes: 1 },
      ],
      voters: [{ number: ANA, options: ['Tomorrow'] }],
    })
  })
})

describe('calls', () => {
  test('are published as events, and can be rejected with an action', async () => {
    const callId = ana.call(OURS)
    expect(await posted('the call', ({ event }) => event === 'CALL')).toMatchObject({ data: { from: ANA } })
    expect((await act('call/reject', { call_id: callId })).body.result).toEqual({ call_id: callId, rejected: true })
    ana.hangUp(callId)
    await posted('its end', ({ event, data }) => event === 'CALL' && data.event_type === 'call.ended')
  })

  test('are rejected with a text if the instance is configured to', async () => {
    const message = 'Please write to us.'
    await api('PATCH', `${at}/call-settings`, { reject: true, message })
    ben.call(OURS)
    await until('the text', () => ben.received(OURS).some(({ text }) => text === message))
    await api('PATCH', `${at}/call-settings`, { reject: false })
  })
})

describe('groups', () => {
  const contextOf = ({ extendedTextMessage }: proto.IMessage) => extendedTextMessage?.contextInfo

  test('can be created, renamed, written to with mentions and quotes, and left', async () => {
    const { group } = (await act('group/create', { name: 'Garden', participants: [ANA, BEN] })).body.result
    const to: string = group.group_id
    await act('group/subject', { group_id: to, name: 'Orchard' })
    await act('group/participant', { group_id: to, change: 'promote', participants: [ANA] })
    expect((await act('group/info', { group_id: to })).body.result).toMatchObject({
      ...{ name: 'Orchard', kind: 'group', community_id: null },
      participants: expect.arrayContaining([{ number: ANA, admin: true }]),
    })
    await ana.say(to.replace('@g.us', ''), 'Who waters?')
    const question = await heard('it', ({ text }) => text === 'Who waters?')
    expect(question).toMatchObject({ chat: to, from: ANA, participant: ANA, is_group: true, chat_type: 'group' })
    const sent = await act('send/text', {
      ...{ to, text: `@${BEN} does`, mentions: [BEN] },
      quoted_message_id: question['message_id'],
    })
    expect([sent.status, sent.body.sent]).toEqual([201, true])
    const isAnswer = ({ content }: { content: proto.IMessage }) => contextOf(content)?.mentionedJid?.length === 1
    const seen = await until('the answer', () => ben.received(OURS).find(isAnswer))
    expect(contextOf(seen.content)?.stanzaId).toBeTruthy()
    expect((await act('group/leave', { group_id: to })).body.result).toMatchObject({ left: true })
  })

  test('of other people are reported to the webhook when the number joins or becomes an admin', async () => {
    const other = await pairedLive(api, whatsapp, '12025550203')
    const acts = `/v1/instances/${other}/engine/smv2/group`
    const made = await api('POST', `${acts}/create`, { name: 'Theirs', participants: [OURS] })
    const { group_id } = made.body.result.group
    const joined = await posted('the group', ({ event, data }) => event === 'GROUP' && data.group_id === group_id)
    expect(joined).toMatchObject({
      data: { event_type: 'group.joined', subject: 'Theirs', by: '12025550203', participants: expect.any(Array) },
    })
    await api('POST', `${acts}/participant`, { group_id, change: 'promote', participants: [OURS] })
    await posted('the change', ({ data }) => data.group_id === group_id && data.action === 'promote')
  })
})

describe('an instance', () => {
  test('keeps to its pace: a message that would wait too long is 429 with Retry-After, and is never sent', async () => {
    await api('PATCH', `${at}/line-settings`, { pace: { per_minute: 60, burst: 2, chat_per_minute: 4, chat_burst: 2 } })
    const carl = whatsapp.phone('12025550103')
    const send = (text: string) => api('POST', `${at}/messages`, { to: carl.number, text })
    const answers = await Promise.all(['one', 'two', 'three'].map(send))
    const [refused] = answers.filter(({ status }) => status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(1)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    await until('both', () => carl.received(OURS).length === 2)
    await api('PATCH', `${at}/line-settings`, {
      pace: { per_minute: null, burst: null, chat_per_minute: null, chat_burst: null },
    })
  })

  test('connects through its proxy once that was checked, and never shows its credentials', async () => {
    const login = { username: 'shop', password: 'hidden-word' }
    const proxy = await startProxy('socks5', { to: whatsapp.route.port, login })
    const place = { type: 'socks5', host: '127.0.0.1', port: proxy.port }
    const wrong = await api('PATCH', `${at}/line-settings`, { proxy: { ...place, ...login, password: 'x' } })
    expect(wrong.status).toBe(400)
    const saved = await api('PATCH', `${at}/line-settings`, { proxy: { ...place, ...login } })
    expect(saved.body.proxy).toEqual({ ...place, has_credentials: true })
    expect(JSON.stringify(saved.body)).not.toContain('hidden-word')
    await until('through it', () => proxy.carried.length > 1)
    await connected(api, instance)
    await api('PATCH', `${at}/line-settings`, { proxy: null })
    await connected(api, instance)
    await proxy.close()
  })

  test.each([
    ['replaced', 'replaced'],
    ['codeless', null],
  ] as const)(
    'whose connection ends as %s states its next attempt if it waits, and reconnects',
    async (how, reason) => {
      const { device } = whatsapp.phone(OURS)
      const before = device.logins
      await until('online', () => device.isOnline)
      device.end(how)
      if (reason !== null) {
        const found = await until('the reason', async () => {
          const { body } = await api('GET', `${at}/health`)
          return (body.issues as Data[]).find(({ code }) => code === reason)
        })
        expect(found['message']).toMatch(/The next attempt is at \d{4}-/)
        await api('POST', `${at}/restart`)
      }
      await until('back', () => device.isOnline && device.logins > before)
    },
  )
})
