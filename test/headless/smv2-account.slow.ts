import { afterAll, beforeAll, expect, test } from 'vitest'
import { testHome, until, type Api, type RunningService, type TestHome } from '../support/service-process.ts'
import { startWhatsApp, type Phone, type WhatsApp } from '../support/whatsapp/index.ts'
import { pairedLive } from '../support/whatsapp/paired.ts'

/** What belongs to the account and lies on its phone, over the API of the built service. */
const OURS = '12025550200'
const ANA = '12025550101'
const DAY_SECONDS = 86_400

let whatsapp: WhatsApp
let home: TestHome
let service: RunningService
let key: string
let at: string
let ana: Phone

const api: Api = (...asked) => service.api(key)(...asked)
const act = (action: string, body: object = {}) => api('POST', `${at}/engine/smv2/${action}`, body)
/** The phone shares some of its keys and its name a while after pairing. */
const acted = (action: string, body: object) =>
  until(action, async () => {
    const { status, body: answer } = await act(action, body)
    return status === 200 ? answer.result : undefined
  })
const heard = (tag: string) => whatsapp.phone(OURS).device.heard.filter((node) => node.tag === tag)

beforeAll(async () => {
  whatsapp = await startWhatsApp()
  home = testHome()
  home.write({ 'pace.per_minute': 0 })
  key = (await home.key('Account')).key
  service = await home.start(whatsapp.environment)
  whatsapp.phone(OURS, { name: 'Shop' })
  ana = whatsapp.phone(ANA, { name: 'Ana' })
  const now = Math.floor(Date.now() / 1_000)
  for (const [text, days] of [
    ['Long ago', 30],
    ['Lately', 2],
    ['Just before', 1],
  ] as const)
    await ana.say(OURS, text, { atSeconds: now - days * DAY_SECONDS })
  at = `/v1/instances/${await pairedLive(api, whatsapp, OURS)}`
})
afterAll(async () => {
  await home.remove()
  await whatsapp.close()
})

test('earlier chats are imported on request, only those of the last days, and without events', async () => {
  const received = async () =>
    (await api('GET', '/v1/events?type=message.received&limit=200')).body.data.length as number
  expect(await received()).toBe(0)
  const state = await until(
    'the import',
    async () => {
      const { body } = await api('GET', `${at}/history-import`)
      // The phone names its chats a while after pairing.
      if (body.state === 'none' || (body.state === 'completed' && body.messages === 0))
        await api('POST', `${at}/history-import`, { days: 5 })
      return body.state === 'completed' && body.messages > 0 ? body : undefined
    },
    40_000,
  )
  expect(state).toMatchObject({ days: 5, chats: { total: 1, done: 1 }, messages: 2, failure: null })
  expect(await received()).toBe(0)
})

test('labels and chat settings can be changed and reach the phone', async () => {
  const { label } = await acted('label/save', { name: 'Paid', color: 3 })
  expect((await act('label/list')).body.result.labels).toEqual([label])
  await acted('label/chat', { to: ANA, label_id: label.label_id, labeled: true })
  await acted('chat/pin', { to: ANA, pinned: true })
  const settings = () =>
    (['regular', 'regular_low', 'regular_high'] as const).flatMap((name) => [
      ...whatsapp.phone(OURS).appState.ledger(name).settings.values(),
    ])
  await until('on the phone', () =>
    ['label_jid', 'pin_v1'].every((kind) => settings().some(({ index }) => index[0] === kind)),
  )
  await acted('label/delete', { label_id: label.label_id })
  expect((await act('label/list')).body.result.labels).toEqual([])
})

test('the name, the about text, typing and online presence can be set', async () => {
  await acted('account/name', { name: 'Bakery' })
  await acted('account/about', { text: 'Open till six' })
  await acted('chat/typing', { to: ANA, state: 'typing' })
  await until('typing', () => heard('chatstate').length === 1)
  expect((await api('PATCH', `${at}/line-settings`, { online: true })).body.online).toBe(true)
  await until('online', () => heard('presence').at(-1)?.attrs['type'] === 'available')
})

test('a status reaches the chosen contacts', async () => {
  const posted = await act('account/status', { text: 'Fresh bread', numbers: [ANA] })
  expect([posted.status, posted.body.result]).toEqual([200, { posted: true, message_id: expect.any(String) }])
  await until('there', () => ana.received(OURS).some(({ text }) => text === 'Fresh bread'))
})
