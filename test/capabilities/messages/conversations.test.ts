import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as store from '../../../main/capabilities/messages/conversation-store.ts'
import { queryPlan } from '../../support/query-plan.ts'
import { testDatabase } from '../../support/database.ts'
import { asConsole } from '../../support/console.ts'
import { world, type World } from '../../support/world.ts'

let w: World
let ask: ReturnType<typeof asConsole>
let line: { id: string }
let next = 12_025_556_000
const LINE = '12025555000'

beforeAll(async () => {
  w = await world()
  ask = asConsole(w)
  line = await w.pair(LINE)
})
afterAll(() => w.close())

const person = () => String(next++)
const list = async (query = '', id = line.id) => (await ask('GET', `/v1/instances/${id}/conversations${query}`)).body
const thread = async (chat: string, query = '') =>
  (await ask('GET', `/v1/instances/${line.id}/conversations/${encodeURIComponent(chat)}/messages${query}`)).body

async function send(to: string, text: string) {
  const { body } = await w.api('POST', `/v1/instances/${line.id}/messages`, { to, text })
  await w.quiet()
  return body.message_id as string
}
async function hear(from: string, text: string, more: object = {}) {
  const { body, status } = await w.api('POST', `/v1/sandbox/phones/${from}/messages`, { to: LINE, text, ...more })
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  await w.quiet()
  return body
}

describe('the list of conversations', () => {
  test('shows each chat once, the most recent first, with its newest message', async () => {
    const [ada, bob] = [person(), person()]
    await w.api('POST', '/v1/sandbox/phones', { number: ada, name: 'Ada' })
    await send(ada, 'Hello Ada')
    await send(bob, 'Hello Bob')
    await hear(ada, 'Hello yourself')
    const { data, has_more } = await list()
    expect(has_more).toBe(false)
    expect(data.slice(0, 2)).toEqual([
      {
        chat: ada,
        name: 'Ada',
        is_group: false,
        last: {
          message_id: expect.stringMatching(/^msg_/),
          direction: 'in',
          type: 'text',
          text: 'Hello yourself',
          status: null,
          at: expect.any(String),
        },
        messages: 2,
        unread_messages: 1,
        marked_unread: false,
        opted_out: false,
        opt_out_question: null,
        last_inbound_at: expect.any(String),
      },
      expect.objectContaining({ chat: bob, name: null, messages: 1, last_inbound_at: null }),
    ])
    expect(data[1].last).toMatchObject({ direction: 'out', text: 'Hello Bob', status: 'read' })
  })

  test('moves a chat to the top when it gets a new message', async () => {
    const [first, second] = [person(), person()]
    await send(first, 'one')
    await send(second, 'two')
    expect((await list()).data.slice(0, 2).map(({ chat }: { chat: string }) => chat)).toEqual([second, first])
    await hear(first, 'three')
    expect((await list()).data[0]).toMatchObject({ chat: first, messages: 2, last: { text: 'three' } })
  })

  test('shows a group as a group after a message was sent to it', async () => {
    const create = { name: 'Bread club', participants: ['12025556900'] }
    const made = await w.api('POST', `/v1/instances/${line.id}/engine/smv2/group/create`, create)
    const { group_id: group } = made.body.result.group
    await hear('12025556900', 'Hello', { group })
    await send(group, 'Hello everybody')
    expect((await list()).data[0]).toMatchObject({ chat: group, is_group: true, name: null })
  })

  test('does not show a message that was never sent', async () => {
    const gone = '12025550502'
    expect((await w.api('POST', `/v1/instances/${line.id}/messages`, { to: gone, text: 'x' })).status).toBe(502)
    await w.quiet()
    expect((await list()).data.map(({ chat }: { chat: string }) => chat)).not.toContain(gone)
  })

  test('is split into pages that miss and repeat nothing', async () => {
    const all = (await list('?limit=200')).data.map(({ chat }: { chat: string }) => chat)
    const seen: string[] = []
    for (let query = '?limit=2'; ;) {
      const page = await list(query)
      seen.push(...page.data.map(({ chat }: { chat: string }) => chat))
      if (!page.has_more) break
      query = `?limit=2&cursor=${page.next_cursor}`
    }
    expect(seen).toEqual(all)
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('can be searched by number in its usual spellings, and by name', async () => {
    const eve = '12025557123'
    await w.api('POST', '/v1/sandbox/phones', { number: eve, name: 'Évelyne Dupont' })
    await hear(eve, 'Bonjour')
    const chats = async (q: string) =>
      (await list(`?q=${encodeURIComponent(q)}`)).data.map(({ chat }: { chat: string }) => chat)
    expect(await chats('555-7123')).toEqual([eve])
    expect(await chats('+1 (202) 555-7123')).toEqual([eve])
    expect(await chats('évelyne')).toEqual([eve])
    expect(await chats('DUPONT')).toEqual([eve])
    expect(await chats('nobody of that name')).toEqual([])
    await w.api('POST', '/v1/sandbox/phones', { number: eve, name: 'Eve' })
    await hear(eve, 'Now I am Eve')
    expect(await chats('eve')).toEqual([eve])
    expect(await chats('dupont')).toEqual([])
  })

  test('can be searched by the name of a contact, in any spelling of the number and after the name changed', async () => {
    const [rita, sao] = ['12025557124', '5511987654321']
    const chats = async (q: string) =>
      (await list(`?q=${encodeURIComponent(q)}`)).data.map(({ chat }: { chat: string }) => chat)
    await send(rita, 'Hello')
    await send(sao, 'Oi')
    expect(await chats('marguerite')).toEqual([])
    await w.api('PATCH', `/v1/contacts/${rita}`, { name: 'Marguerite Oliveira' })
    await w.api('PATCH', '/v1/contacts/551187654321', { name: 'José Oliveira' })
    expect(await chats('marg')).toEqual([rita])
    expect(await chats('jose oliv')).toEqual([sao])
    expect(await chats('oliveira')).toEqual([sao, rita])
    const [newest] = (await list('?q=oliveira&limit=1')).data
    expect(newest.chat).toBe(sao)
    await w.api('PATCH', `/v1/contacts/${rita}`, { name: 'Rita' })
    expect(await chats('marguerite')).toEqual([])
    await w.api('DELETE', `/v1/contacts/${sao}`)
    expect(await chats('oliveira')).toEqual([])
  })

  test('is empty for an instance without messages, and not found for an unknown instance', async () => {
    const silent = await w.instance()
    expect(await list('', silent.id)).toEqual({ data: [], next_cursor: null, has_more: false })
    expect((await ask('GET', '/v1/instances/0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60/conversations')).status).toBe(404)
    expect((await ask('GET', `/v1/instances/${line.id}/conversations?cursor=abc`)).status).toBe(400)
    expect((await ask('GET', `/v1/instances/${line.id}/conversations?q=`)).status).toBe(400)
  })
})

describe('a conversation', () => {
  test('is newest first in both directions, with times and reactions', async () => {
    const ada = person()
    const sent = await send(ada, 'How are you?')
    const heard = await hear(ada, 'Fine!')
    await w.api('POST', `/v1/sandbox/phones/${ada}/messages/${heard.message_id ?? heard.id}/react`, { emoji: '🎉' })
    await w.quiet()
    const { data, has_more, next_cursor } = await thread(ada)
    expect([has_more, next_cursor, data.length]).toEqual([false, null, 2])
    expect(data[0]).toMatchObject({
      direction: 'in',
      sender: ada,
      text: 'Fine!',
      status: null,
      source: null,
      media: null,
      reactions: [{ sender: ada, emoji: '🎉' }],
    })
    expect(data[1]).toMatchObject({
      message_id: sent,
      direction: 'out',
      text: 'How are you?',
      status: 'read',
      source: 'api',
      error: null,
      sender: null,
    })
    for (const field of ['created_at', 'sent_at', 'delivered_at', 'read_at']) expect(data[1][field]).toMatch(/Z$/)
  })

  test('shows a received file with its URL, and a sent file without one', async () => {
    const ada = person()
    await hear(ada, undefined as never, { media_url: 'https://media.sandbox/image.png', media_type: 'image' })
    await w.api('POST', `/v1/instances/${line.id}/messages`, {
      to: ada,
      media_url: 'https://media.sandbox/document.pdf',
      media_type: 'document',
      caption: 'The offer',
    })
    await w.quiet()
    const [out, came] = (await thread(ada)).data
    expect(out).toMatchObject({
      text: 'The offer',
      media: { mime_type: 'application/pdf', filename: 'document.pdf', url: null },
    })
    expect(came.media).toMatchObject({ mime_type: 'image/png', size: expect.any(Number) })
    expect(came.media.url).toMatch(new RegExp(`^/panel/v1/instances/${line.id}/media/[^/]+$`))
    const file = await w.service.askAsConsole({ method: 'GET', path: came.media.url, headers: {} })
    expect([file.status, file.headers['content-type']]).toEqual([200, 'image/png'])
    await file.body?.cancel()
  })

  test('has pages', async () => {
    const ada = person()
    for (const text of ['1', '2', '3', '4', '5']) await send(ada, text)
    const first = await thread(ada, '?limit=2')
    const second = await thread(ada, `?limit=2&cursor=${first.next_cursor}`)
    const third = await thread(ada, `?limit=2&cursor=${second.next_cursor}`)
    const texts = [first, second, third].map(({ data }) => data.map(({ text }: { text: string }) => text))
    expect(texts).toEqual([['5', '4'], ['3', '2'], ['1']])
    expect(third.has_more).toBe(false)
  })

  test('does not keep the text of a deleted message', async () => {
    const ada = person()
    const heard = await hear(ada, 'I did not say this')
    await w.api('POST', `/v1/sandbox/phones/${ada}/messages/${heard.message_id ?? heard.id}/delete`, {})
    await w.quiet()
    const [said] = (await thread(ada)).data
    expect([said.text, said.deleted_at]).toEqual(['', expect.stringMatching(/Z$/)])
    const { data } = await list()
    expect(data.find(({ chat }: { chat: string }) => chat === ada).last.text).toBe('')
  })

  test('without messages is an empty page', async () => {
    expect(await thread(person())).toEqual({ data: [], next_cursor: null, has_more: false })
    expect(await thread('120363025246125486@g.us')).toMatchObject({ data: [] })
  })

  test('of another account’s instance is not found', async () => {
    const { key } = await w.stranger()
    const { body } = await w.api('POST', '/v1/instances', {}, { key })
    expect((await ask('GET', `/v1/instances/${body.id}/conversations`)).status).toBe(404)
  })
})

test('conversations do not exist for API keys or in the OpenAPI document', async () => {
  for (const path of [`/v1/instances/${line.id}/conversations`, `/v1/instances/${line.id}/conversations/1/messages`])
    expect((await w.api('GET', path)).body.error.code, path).toBe('not_found')
  expect((await w.api('GET', '/openapi.yaml')).text).not.toContain('{id}/conversations')
})

describe('every query', () => {
  const statements = Object.entries(store).flatMap(([name, value]) =>
    typeof value === 'object' && 'text' in value ? [[name, value.text] as const] : [],
  )

  test.each(statements)('%s uses an index and sorts nothing', async (_name, text) => {
    const { raw, close } = await testDatabase()
    const plan = queryPlan(raw, { text })
    await close()
    for (const step of plan) expect(step).not.toMatch(/SCAN (m|r|message)|TEMP B-TREE/)
    expect(plan.some((step) => step.startsWith('SEARCH'))).toBe(true)
  })
})
