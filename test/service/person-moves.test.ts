import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GraphSimulator } from '../../main/engines/sandbox/graph/index.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { asConsole } from '../support/console.ts'
import { builtConsole } from '../support/panel.ts'
import { until } from '../support/service-process.ts'
import { world, type World } from '../support/world.ts'

const OURS = '12025550200'

let w: World
let graph: GraphSimulator
let shop: { id: string; phoneNumberId: string }
let sandbox: { id: string }
let count = 100

beforeAll(async () => {
  w = await world({
    ...{ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } },
    onGraph: (built) => (graph = built),
    consoleFolder: builtConsole(),
  })
  const { number: _number, ...credentials } = (await w.api('POST', '/v1/sandbox/graph/numbers', { number: OURS })).body
  const made = await w.instance({ engine: 'official' })
  const page = new URL(made.onboarding_url).pathname
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  await w.wire('POST', page, new URLSearchParams({ ...credentials, pin: '123456' }).toString(), {
    key: null,
    headers: form,
  })
  shop = { id: made.id, phoneNumberId: credentials.phone_number_id }
  sandbox = await w.pair(undefined, { network: 'sandbox' })
})
afterAll(() => w.close())

/** A person whom Meta knows by an id, and whose number it may show. */
const somebody = () => {
  const number = `12025551${String(count++)}1`.slice(0, 11)
  return { number, userId: `US.${number}9` }
}
type Person = ReturnType<typeof somebody>

let said = 0
const says = async ({ number, userId }: Person, text: string, shows: 'number' | 'id', username?: string) => {
  const id = `wamid.person-${String(++said)}`
  const who = shows === 'number' ? { from: number, from_user_id: userId } : { from_user_id: userId }
  const contact = {
    profile: { name: 'Ana', ...(username && { username }) },
    user_id: userId,
    ...(shows === 'number' && { wa_id: number }),
  }
  const message = { ...who, id, timestamp: String(Math.floor(Date.now() / 1_000)), type: 'text', text: { body: text } }
  const metadata = { display_phone_number: OURS, phone_number_id: shop.phoneNumberId }
  const value = { messaging_product: 'whatsapp', metadata, contacts: [contact], messages: [message] }
  await graph.callBack(shop.phoneNumberId, { field: 'messages', value })
  await until(
    'the message',
    async () => (await w.rows('SELECT seq FROM messages WHERE engine_message_id = :id', { id }))[0],
  )
}
const contact = async (name: string) => (await w.api('GET', `/v1/contacts/${name}`)).body
const optOutsOf = async (phone: string) =>
  (await w.api('GET', `/v1/opt-outs?phone=${phone}`)).body.data as readonly { phone: string; source: string }[]

async function campaignTo(...phones: readonly string[]): Promise<string> {
  const made = await w.api('POST', '/v1/campaigns', {
    ...{ instance_ids: [sandbox.id], name: 'Offer', messages: [{ text: 'Hello' }] },
    ...{ recipients: phones.map((phone) => ({ phone })), config: { minDelay: 0, maxDelay: 0, checkNumbers: false } },
  })
  expect(made.status, made.text).toBe(201)
  return made.body.campaign_id
}
const start = async (id: string) => {
  expect((await w.api('POST', `/v1/campaigns/${id}/start`)).status).toBe(200)
  return until('the end', async () => {
    const { status, counts } = (await w.api('GET', `/v1/campaigns/${id}`)).body
    return status === 'completed' ? counts : undefined
  })
}

describe('a number that becomes known', () => {
  test('is opted out if the hidden id was opted out', async () => {
    const ana = somebody()
    const offer = await campaignTo(ana.number)
    await says(ana, 'SAIR', 'id')
    expect(await optOutsOf(ana.number)).toEqual([])
    await says(ana, 'ok', 'number')
    expect(await optOutsOf(ana.number)).toMatchObject([{ phone: ana.number, source: 'keyword' }])
    expect(await start(offer)).toMatchObject({ sent: 0, skipped: 1 })
  })

  test('keeps its own opt-out and shares it with the hidden id', async () => {
    const ana = somebody()
    await w.api('POST', '/v1/opt-outs', { phone: ana.number })
    await says(ana, 'Hi', 'id')
    await says(ana, 'Hi', 'number')
    expect(await contact(ana.number)).toMatchObject({ opted_out: true })
    expect(await optOutsOf(ana.number)).toHaveLength(1)
  })

  test('has one contact with all names, tags and messages', async () => {
    const ana = somebody()
    await says(ana, 'First', 'id')
    await w.api('PATCH', `/v1/contacts/${ana.userId}`, { tags: ['vip'] })
    await w.api('POST', '/v1/contacts', { phone: ana.number, name: 'Ana Luz', tags: ['customer'] })
    expect(await contact(ana.userId)).toMatchObject({ identities: [{ kind: 'bsuid', value: ana.userId }] })
    await says(ana, 'Second', 'number')
    const both = {
      ...{ phone: ana.number, name: 'Ana Luz', tags: ['customer', 'vip'] },
      identities: [
        { kind: 'phone', value: ana.number },
        { kind: 'bsuid', value: ana.userId },
      ],
    }
    expect(await contact(ana.number)).toMatchObject(both)
    expect(await contact(ana.userId)).toMatchObject(both)
    const chats = await w.rows('SELECT DISTINCT chat FROM messages WHERE chat IN (:number, :userId)', ana)
    expect(chats).toEqual([{ chat: ana.number }])
  })
})

describe('a username', () => {
  const found = async (q: string) =>
    (await w.api('GET', `/v1/contacts?q=${encodeURIComponent(q)}`)).body.data.map(({ phone }: any) => phone)
  const usernames = async (phone: string) =>
    (await contact(phone)).identities.filter(({ kind }: any) => kind === 'username').map(({ value }: any) => value)

  test('is shown for a hidden id until the number is known', async () => {
    const ana = somebody()
    await says(ana, 'Hi', 'id', 'bakery.friend')
    await until('the username', async () => (await usernames(ana.userId)).length === 1 || undefined)
    const asked = async () => (await asConsole(w)('GET', `/v1/contact-names?phones=${ana.userId}`)).body.data
    const named = { phone: ana.userId, name: 'Ana', username: 'bakery.friend' }
    expect(await asked()).toEqual([{ ...named, number: null }])
    await says(ana, 'Hi again', 'number')
    expect(await asked()).toEqual([{ ...named, number: ana.number }])
  })

  test('belongs to the contact who wrote, can change, and is searchable', async () => {
    const ana = somebody()
    await says(ana, 'Hi', 'number', 'Ana.Luz')
    await until('the username', async () => (await usernames(ana.number)).length === 1 || undefined)
    expect(await usernames(ana.number)).toEqual(['ana.luz'])
    expect(await found('@ana')).toEqual([ana.number])
    await says(ana, 'Again', 'id', 'luz_2')
    await until('the new one', async () => (await usernames(ana.number))[0] === 'luz_2' || undefined)
    expect(await usernames(ana.number)).toEqual(['luz_2'])
    expect([await found('@ana'), await found('@LUZ'), await found('@'), await found('@luz_22')]).toEqual([
      [],
      [ana.number],
      [],
      [],
    ])
  })

  test('moves to the person who has it now', async () => {
    const [before, after] = [somebody(), somebody()]
    await says(before, 'Hi', 'number', 'shop')
    await until('the username', async () => (await usernames(before.number)).length === 1 || undefined)
    await says(after, 'Hi', 'number', 'shop')
    await until('its new owner', async () => (await usernames(after.number)).length === 1 || undefined)
    expect(await found('@shop')).toEqual([after.number])
  })
})

describe('somebody who turns marketing messages off in their app', () => {
  const stop = (user: string) => graph.changeMarketing(shop.phoneNumberId, user, 'stop')
  const resume = (user: string) => graph.changeMarketing(shop.phoneNumberId, user, 'resume')
  const eventually = (phone: string, rows: number) =>
    until('the opt-out', async () => {
      const found = await optOutsOf(phone)
      return found.length === rows ? found : undefined
    })
  const send = (payload: object) => w.api('POST', `/v1/instances/${shop.id}/messages`, payload)

  test('is opted out of this instance until they turn them on', async () => {
    const { number } = somebody()
    await stop(number)
    expect(await eventually(number, 1)).toMatchObject([{ source: 'meta', scope: shop.id, message_id: null }])
    await resume(number)
    await eventually(number, 0)
  })

  test('stays opted out after a person’s decision, and cannot lift Meta’s opt-out with a keyword', async () => {
    const ana = somebody()
    await w.api('POST', '/v1/opt-outs', { phone: ana.number })
    await stop(ana.number)
    await eventually(ana.number, 2)
    await says(ana, 'START', 'number')
    expect(await optOutsOf(ana.number)).toHaveLength(2)
    await resume(ana.number)
    expect(await eventually(ana.number, 1)).toMatchObject([{ source: 'api', scope: 'account' }])
  })

  test('is opted out by a failed message if no report came before', async () => {
    const ana = somebody()
    await stop(ana.number)
    await eventually(ana.number, 1)
    await w.api('DELETE', `/v1/opt-outs/${ana.number}`)
    const header = { type: 'image', image: { link: 'https://shop.example/a.png' } }
    const components = [
      { type: 'header', parameters: [header] },
      { type: 'body', parameters: [{ type: 'text', text: 'Ana' }] },
    ]
    const template = { name: 'spring_offer', language: { code: 'en' }, components }
    const sent = await send({ to: ana.number, cloud_api: { type: 'template', template } })
    expect(sent.status, sent.text).toBe(201)
    expect(await eventually(ana.number, 1)).toMatchObject([
      { source: 'meta', message_id: sent.body.message_id, message_instance_id: shop.id },
    ])
    const hello = { name: 'hello_world', language: { code: 'en_US' } }
    const utility = await send({ to: ana.number, cloud_api: { type: 'template', template: hello } })
    const path = `/v1/instances/${shop.id}/messages/${utility.body.message_id}`
    await until('the status', async () => (await w.api('GET', path)).body.status === 'read' || undefined)
  })
})

describe('an agent', () => {
  beforeAll(async () => {
    await w.api('POST', `/v1/instances/${shop.id}/ai/agents`, { name: 'Desk', provider: 'builtin' })
    await w.api('PATCH', `/v1/instances/${shop.id}/ai/settings`, { enabled: true })
  })
  const pause = (chat: string) => w.api('POST', `/v1/instances/${shop.id}/ai/conversations/${chat}/pause`, {})
  const states = ({ number, userId }: Person) =>
    w.rows('SELECT chat, paused FROM ai_conversations WHERE chat IN (:number, :userId)', { number, userId })

  test('paused for the hidden id is paused for the number', async () => {
    const ana = somebody()
    await says(ana, 'Hi', 'id')
    expect((await pause(ana.userId)).status).toBeLessThan(300)
    await says(ana, 'Hi again', 'number')
    expect(await states(ana)).toEqual([{ chat: ana.number, paused: 1 }])
  })

  test('paused for the number stays paused when the two merge', async () => {
    const ana = somebody()
    await says({ ...ana, userId: `${ana.userId}8` }, 'Hi', 'number')
    expect((await pause(ana.number)).status).toBeLessThan(300)
    await says(ana, 'Hi', 'id')
    await says(ana, 'Hi again', 'number')
    expect(await states(ana)).toEqual([{ chat: ana.number, paused: 1 }])
  })
})

describe('a person who changes the number', () => {
  test('is opted out under both numbers, and keeps the contact', async () => {
    const before = somebody()
    const after = somebody()
    const offers = [await campaignTo(before.number), await campaignTo(after.number)]
    await says(before, 'SAIR', 'number')
    await w.api('PATCH', `/v1/contacts/${before.number}`, { tags: ['vip'] })
    await graph.changeNumber(shop.phoneNumberId, before.number, after.number)
    await until('the contact', async () => ((await contact(after.number)).tags ? true : undefined))
    expect(await contact(after.number)).toMatchObject({ tags: ['vip'], opted_out: true })
    expect((await w.api('GET', `/v1/contacts/${before.number}`)).status).toBe(404)
    expect(await optOutsOf(before.number)).toHaveLength(1)
    for (const offer of offers) expect(await start(offer)).toMatchObject({ sent: 0, skipped: 1 })
  })

  test('gets a campaign once, at the new number', async () => {
    const before = somebody()
    const after = somebody()
    await says(before, 'Hi', 'number')
    const both = await campaignTo(before.number, after.number)
    const old = await campaignTo(before.number)
    await graph.changeNumber(shop.phoneNumberId, before.number, after.number)
    await until('the contact', async () => ((await contact(after.number)).phone ? true : undefined))
    expect(await start(both)).toMatchObject({ sent: 1, skipped: 1 })
    expect(await start(old)).toMatchObject({ sent: 1 })
    const phones = await w.rows(
      "SELECT phone FROM campaign_recipients WHERE campaign_id IN (:both, :old) AND status <> 'skipped'",
      { both, old },
    )
    expect(new Set(phones.map((row: any) => row.phone))).toEqual(new Set([after.number]))
  })

  test('is called at the new number', async () => {
    const before = somebody()
    const after = somebody()
    const voice = `/v1/instances/${shop.id}/voice`
    expect((await w.api('POST', `${voice}/enable`)).status).toBe(200)
    const agent = await w.api('POST', `/v1/instances/${shop.id}/ai/agents`, { name: 'Caller', provider: 'builtin' })
    const call = (number: string) =>
      w.api('POST', `${voice}/calls`, {
        ...{ to_number: number, agent_id: agent.body.id },
        scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
      })
    const scheduled = await call(before.number)
    expect(scheduled.status, scheduled.text).toBe(201)
    await says(before, 'Hi', 'number')
    await graph.changeNumber(shop.phoneNumberId, before.number, after.number)
    const path = `${voice}/calls/${scheduled.body.id}`
    await until('the call', async () => (await w.api('GET', path)).body.to_number === after.number || undefined)
  })
})
