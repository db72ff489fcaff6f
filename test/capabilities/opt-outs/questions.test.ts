import { beforeEach, describe, expect, test } from 'vitest'
import { builtConsole, signedIn, type Browser } from '../../support/panel.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const PERSON = '12025550177'

let w: World
let shop: { id: string; phone_number: string }
let browser: Browser
beforeEach(async () => {
  w = await worldOfTest({ consoleFolder: builtConsole() })
  shop = await w.pair()
  browser = await signedIn(w)
})

const say = async (text: string, to = shop) => {
  await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: to.phone_number, text })
  await w.quiet()
}
const questions = async (query = '', key?: string) =>
  (await w.api('GET', `/v1/opt-out-questions${query}`, undefined, { ...(key && { key }) })).body.data
const optOuts = async () => (await w.api('GET', '/v1/opt-outs')).body.data
const answer = (messageId: string, optOut: boolean, { of = shop, key }: { of?: { id: string }; key?: string } = {}) =>
  w.api(
    'POST',
    `/v1/instances/${of.id}/opt-out-questions/${messageId}`,
    { chat: PERSON, opt_out: optOut },
    { ...(key && { key }) },
  )
const conversation = async (of = shop) =>
  (await browser.ask('GET', `/panel/v1/instances/${of.id}/conversations`)).body.data[0]

describe('a message that may be an opt-out', () => {
  test('does not opt the person out, but creates a question that is shown on the chat', async () => {
    await say('Quero cancelar, por favor')
    const [asked, ...others] = await questions()
    expect(others).toEqual([])
    expect(asked).toMatchObject({ instance_id: shop.id, chat: PERSON, text: 'Quero cancelar, por favor' })
    expect(await optOuts()).toEqual([])
    expect(await conversation()).toMatchObject({
      opted_out: false,
      opt_out_question: { message_id: asked.message_id, text: 'Quero cancelar, por favor' },
    })
  })

  test('records who decided, and the message, when a person confirms it as an opt-out', async () => {
    await say('Doy de baja la pauta?')
    const [{ message_id: id }] = await questions()
    const path = `/panel/v1/instances/${shop.id}/opt-out-questions/${id}`
    expect((await browser.ask('POST', path, { chat: PERSON, opt_out: true })).status).toBe(204)
    expect(await optOuts()).toMatchObject([
      { phone: PERSON, scope: 'account', source: 'person', note: 'Doy de baja la pauta?' },
    ])
    expect(await optOuts()).toMatchObject([{ message_id: id, message_instance_id: shop.id }])
    expect(await questions()).toEqual([])
    expect(await conversation()).toMatchObject({ opted_out: true, opt_out_question: null })
    await say('START')
    expect(await optOuts()).toHaveLength(1)
  })

  test('creates no further question with the same text after a person dismissed it', async () => {
    await say('Cancelar')
    const [{ message_id: id }] = await questions()
    expect((await answer(id, false)).status).toBe(204)
    await say('CANCELAR!')
    expect([await questions(), await optOuts()]).toEqual([[], []])
    await say('remover')
    expect(await questions()).toMatchObject([{ text: 'remover' }])
    expect((await answer(id, false)).status).toBe(404)
  })

  test('can be answered once, and only while it is the latest question of its person', async () => {
    await say('Cancelar')
    const [{ message_id: first }] = await questions()
    await say('Remover')
    expect(await questions()).toMatchObject([{ text: 'Remover' }])
    const [{ message_id: second }] = await questions()
    expect((await answer(first, true)).status).toBe(404)
    expect(await optOuts()).toEqual([])
    expect((await answer(second, true)).status).toBe(204)
    expect((await answer(second, true)).status).toBe(404)
    expect(await optOuts()).toMatchObject([{ source: 'api', message_id: second }])
  })

  test('creates no question if the person is already opted out', async () => {
    await say('Sair')
    await say('Cancelar')
    expect(await questions()).toEqual([])
  })
})

describe('an opt-out question is closed', () => {
  test.each([
    ['a stop word', () => say('Sair')],
    ['a start word', () => say('START')],
    ['an opt-out of the account', () => w.api('POST', '/v1/opt-outs', { phone: PERSON })],
    ['an opt-out of the instance', () => w.api('POST', '/v1/opt-outs', { phone: PERSON, scope: shop.id })],
    ['the end of the instance', () => w.api('DELETE', `/v1/instances/${shop.id}?confirm=true`)],
  ])('by %s', async (_what, act) => {
    await say('Cancelar')
    expect(await questions()).toHaveLength(1)
    await act()
    expect(await questions()).toEqual([])
  })

  test('but not by an opt-out of another instance', async () => {
    const other = await w.pair()
    await say('Cancelar')
    await w.api('POST', '/v1/opt-outs', { phone: PERSON, scope: other.id })
    expect(await questions()).toHaveLength(1)
  })
})

test('a restricted key can read and answer only questions of its own instances, with effect on those instances', async () => {
  const other = await w.pair()
  const { key } = await w.key({ instances: [shop.id] })
  await say('Cancelar')
  await say('Cancelar', other)
  const all = await questions()
  expect(all.map(({ instance_id }: { instance_id: string }) => instance_id)).toEqual([other.id, shop.id])
  expect(await questions('', key)).toMatchObject([{ instance_id: shop.id }])
  expect((await answer(all[0].message_id, true, { of: other, key })).status).toBe(404)
  expect((await answer(all[1].message_id, true, { key })).status).toBe(204)
  expect(await optOuts()).toMatchObject([{ scope: shop.id }])
  expect(await questions()).toMatchObject([{ instance_id: other.id }])
})

test('questions can be listed page by page, newest first', async () => {
  const other = await w.pair()
  await say('Cancelar')
  await say('Remover', other)
  const first = (await w.api('GET', '/v1/opt-out-questions?limit=1')).body
  expect(first).toMatchObject({ data: [{ text: 'Remover' }], has_more: true })
  const second = (await w.api('GET', `/v1/opt-out-questions?limit=1&cursor=${first.next_cursor}`)).body
  expect(second).toMatchObject({ data: [{ text: 'Cancelar' }], has_more: false, next_cursor: null })
})

describe('the overview of questions', () => {
  const lines = async (query = '') =>
    (await browser.ask('GET', `/panel/v1/overview/attention${query}`)).body.data.filter(
      ({ room }: { room: string }) => room === 'opt-outs',
    )

  test('shows how many people wait for an answer', async () => {
    expect(await lines()).toEqual([])
    await say('Quero cancelar, por favor')
    const since = new Date(w.clock.now()).toISOString()
    expect(await lines()).toMatchObject([{ code: 'question', severity: 'warning', count: 1, subject: null, since }])
    expect(await lines('?network=live')).toEqual([])
    const [{ message_id: id }] = await questions()
    await answer(id, false)
    expect(await lines()).toEqual([])
  })

  test('counts a person who wrote to two numbers once', async () => {
    await say('Cancelar')
    await say('Remover', await w.pair())
    expect(await questions()).toHaveLength(2)
    expect(await lines()).toMatchObject([{ code: 'question', count: 1 }])
  })

  test('shows an agency which clients have open questions', async () => {
    const { body: client } = await w.api('POST', '/v1/agency/accounts', { name: 'North bakery', slots_allocated: 1 })
    const { key } = (
      await w.api('POST', `/v1/agency/accounts/${client.id}/keys`, {
        ...{ name: 'Theirs', scopes: ['instances:read', 'instances:write'] },
      })
    ).body
    const { id } = (await w.api('POST', '/v1/instances', {}, { key })).body
    const { pairing_code: code } = (await w.api('GET', `/v1/instances/${id}/qr`, undefined, { key })).body
    const phones = '/v1/sandbox/phones'
    await w.api('POST', `${phones}/12025550190/scan`, { pairing_code: code }, { key })
    await w.quiet()
    const text = 'Quero cancelar, por favor'
    await w.api('POST', `${phones}/${PERSON}/messages`, { to: '12025550190', text }, { key })
    await w.quiet()
    const subject = { id: client.id, name: 'North bakery' }
    expect(await lines()).toMatchObject([{ code: 'client', severity: 'warning', count: 1, subject }])
  })
})
