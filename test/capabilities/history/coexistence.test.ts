import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AppData } from '../../../main/engines/sandbox/graph/app-data.ts'
import type { GraphSimulator } from '../../../main/engines/sandbox/graph/index.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { asConsole } from '../../support/console.ts'
import { until } from '../../support/service-process.ts'
import { world, type World } from '../../support/world.ts'

const [ANA, BEN, CAT] = ['12025550101', '12025550102', '12025550103']
/** Months ago, in seconds. */
const START = 1_761_000_000

let w: World
let graph: GraphSimulator
beforeAll(async () => {
  w = await world({
    ...{ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } },
    onGraph: (made) => (graph = made),
  })
})
afterAll(() => w.close())

/** A number that goes on in the Business app on a phone, which knows this. */
async function connected(number: string, data: AppData): Promise<{ id: string; phoneNumberId: string }> {
  const { id, onboarding_url: url } = (await w.api('POST', '/v1/instances', { engine: 'official', name: number })).body
  const known = (await w.api('POST', '/v1/sandbox/graph/numbers', { number })).body
  graph.useApp(known.phone_number_id, true)
  graph.appData(known.phone_number_id).keep(data)
  await w.wire('POST', new URL(url).pathname, new URLSearchParams(known).toString(), {
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  await until('connected', async () => (await w.api('GET', `/v1/instances/${id}`)).body.status === 'connected')
  return { id, phoneNumberId: known.phone_number_id }
}
const text = (from: string, id: string, at: number, body: string) => ({
  ...{ from, id: `wamid.${id}`, timestamp: String(START + at), type: 'text' },
  text: { body },
})
const messagesOf = async (id: string, chat: string): Promise<any[]> =>
  (await asConsole(w)('GET', `/v1/instances/${id}/conversations/${chat}/messages`)).body.data ?? []
const nameOf = async (phone: string) => (await w.api('GET', `/v1/contacts?phone=${phone}`)).body.data[0]?.name ?? null

describe('the history of the Business app', () => {
  const OURS = '12025550491'
  const file = { id: '24230790383178626', mime_type: 'image/jpeg', caption: 'The new bed' }
  const data: AppData = {
    contacts: [],
    chats: [
      {
        number: ANA,
        messages: [
          text(OURS, 'past1', 0, 'The garden is open again.'),
          text(ANA, 'past2', 60, 'Thanks!'),
          { from: ANA, id: 'wamid.past3', timestamp: String(START + 90), type: 'image', image: file },
          { from: ANA, id: 'wamid.past4', timestamp: String(START + 95), type: 'reaction', reaction: {} },
        ],
      },
      { number: BEN, messages: [text(BEN, 'past5', 30, 'Are you open on Sunday?')] },
    ],
  }
  let id: string
  let phoneNumberId: string
  let before: readonly { seq: number }[]
  beforeAll(async () => {
    before = await w.rows('SELECT seq FROM events ORDER BY seq DESC LIMIT 1')
    ;({ id, phoneNumberId } = await connected(OURS, data))
    await until('described', async () => (await messagesOf(id, ANA))[0]?.type === 'image')
  })

  test('is stored in its chats, in order and with its files', async () => {
    expect((await messagesOf(id, ANA)).map(({ direction, type, text: words }) => [direction, type, words])).toEqual([
      ['in', 'image', 'The new bed'],
      ['in', 'text', 'Thanks!'],
      ['phone', 'text', 'The garden is open again.'],
    ])
    const [image] = await messagesOf(id, ANA)
    expect([image.media.mime_type, image.created_at]).toEqual([
      'image/jpeg',
      new Date((START + 90) * 1_000).toISOString(),
    ])
    expect(await messagesOf(id, BEN)).toMatchObject([{ text: 'Are you open on Sunday?', direction: 'in' }])
  })

  test('causes no events, no unread messages and no contact names', async () => {
    const events = await w.rows<{ type: string }>('SELECT type FROM events WHERE seq > :seq', {
      seq: before[0]?.seq ?? 0,
    })
    expect(events.map(({ type }) => type).filter((type) => type.startsWith('message.'))).toEqual([])
    const chats = (await asConsole(w)('GET', `/v1/instances/${id}/conversations`)).body.data
    expect(chats.map(({ chat, unread_messages: unread }: any) => [chat, unread]).toSorted()).toEqual([
      [ANA, 0],
      [BEN, 0],
    ])
    expect([await nameOf(ANA), await nameOf(BEN)]).toEqual([null, null])
  })

  test('is stored once, however often Meta repeats the callback', async () => {
    const all = async () => [...(await messagesOf(id, ANA)), ...(await messagesOf(id, BEN))]
    const once = await all()
    await graph.appData(phoneNumberId).sendHistory()
    await w.quiet()
    expect(await all()).toEqual(once)
  })

  test('is followed by new messages', async () => {
    await w.api('POST', `/v1/sandbox/phones/${BEN}/messages`, { to: OURS, text: 'And on Monday?' })
    await until('arrived', async () => (await messagesOf(id, BEN)).length === 2)
    expect((await messagesOf(id, BEN)).map(({ text: words }) => words)).toEqual([
      'And on Monday?',
      'Are you open on Sunday?',
    ])
  })
})

test('the own file is assigned to its chat even if Meta’s callback does not name the recipient', async () => {
  const OURS = '12025550492'
  const video = { id: '24230790383178627', mime_type: 'video/mp4' }
  const message = { from: OURS, id: 'wamid.own1', timestamp: String(START), type: 'video', video }
  const { id } = await connected(OURS, { contacts: [], chats: [{ number: ANA, messages: [message] }] })
  await until('described', async () => (await messagesOf(id, ANA))[0]?.type === 'video')
  expect(await messagesOf(id, ANA)).toMatchObject([{ direction: 'phone', media: { mime_type: 'video/mp4' } }])
})

test('no history is stored if the business does not share its chats', async () => {
  const chats = [{ number: ANA, messages: [text(ANA, 'kept', 0, 'Between us.')] }]
  const { id } = await connected('12025550493', { contacts: [], chats, isHistoryDeclined: true })
  await w.quiet()
  expect((await w.api('GET', `/v1/instances/${id}/health`)).body.issues).toEqual([])
  expect(await messagesOf(id, ANA)).toEqual([])
})

test('names in the address book become names of contacts, but do not replace a name set here', async () => {
  await w.api('POST', '/v1/contacts', { phone: BEN, name: 'Ben of the nursery' })
  const contacts = [
    { number: `+${ANA}`, name: 'Ana Gómez' },
    { number: BEN, name: 'Benjamin' },
    { number: CAT, name: ' ' },
  ]
  const { phoneNumberId } = await connected('12025550494', { contacts, chats: [] })
  await until('named', async () => (await nameOf(ANA)) === 'Ana Gómez')
  expect(await nameOf(BEN)).toBe('Ben of the nursery')
  const app = graph.appData(phoneNumberId)
  await app.changeContacts([{ number: CAT, name: 'Cat' }], 'add')
  await until('named', async () => (await nameOf(CAT)) === 'Cat')
  await app.changeContacts([{ number: CAT, name: 'Cat' }], 'remove')
  await w.quiet()
  expect(await nameOf(CAT)).toBe('Cat')
  expect((await w.api('GET', `/v1/contacts?phone=${CAT}`)).body.data).toHaveLength(1)
})
