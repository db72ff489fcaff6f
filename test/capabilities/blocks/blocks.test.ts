import { beforeEach, describe, expect, test } from 'vitest'
import { worldOfTest, type Reply, type World } from '../../support/world.ts'

const ANA = '12025550301'
const BEN = '12025550302'
const OURS = '12025550310'

let w: World
beforeEach(async () => {
  w = await worldOfTest()
})

const codeOf = ({ status, body }: Reply) => [status, body?.error?.code]
const listOf = async (id: string) =>
  (await w.api('GET', `/v1/instances/${id}/blocked`)).body.data.map(({ phone }: { phone: string }) => phone)
const say = (from: string, to: string, text = 'Hello') =>
  w.api('POST', `/v1/sandbox/phones/${from}/messages`, { to, text })
const heard = async () =>
  (await w.events())
    .filter(({ type }) => type === 'message.received')
    .map(({ data }) => (data as { text: string }).text)

describe.each(['smv2', 'official'] as const)('on %s', (engine) => {
  let id: string
  let number: string
  beforeEach(async () => {
    number = OURS
    id = (engine === 'smv2' ? await w.pair(OURS) : await w.official(OURS)).id
    await say(ANA, number, 'before')
    await say(BEN, number, 'before too')
    await w.pass(1_000)
  })

  test('messages of a blocked person do not arrive until the person is unblocked', async () => {
    const blocked = await w.api('POST', `/v1/instances/${id}/blocked`, { phone: ANA })
    expect([blocked.status, blocked.body]).toEqual([201, { phone: ANA }])
    expect((await w.api('POST', `/v1/instances/${id}/blocked`, { phone: ANA })).status).toBe(201)
    expect(await listOf(id)).toEqual([ANA])
    await say(ANA, number, 'while blocked')
    await w.pass(1_000)
    expect((await w.api('DELETE', `/v1/instances/${id}/blocked/${ANA}`)).status).toBe(204)
    expect((await w.api('DELETE', `/v1/instances/${id}/blocked/${ANA}`)).status).toBe(204)
    expect(await listOf(id)).toEqual([])
    await say(ANA, number, 'after')
    await w.pass(1_000)
    expect(await heard()).toEqual(['before', 'before too', 'after'])
  })

  test('the list of blocked people has pages', async () => {
    for (const phone of [BEN, ANA]) await w.api('POST', `/v1/instances/${id}/blocked`, { phone })
    const first = (await w.api('GET', `/v1/instances/${id}/blocked?limit=1`)).body
    expect(first).toMatchObject({ data: [{ phone: ANA }], has_more: true })
    const second = await w.api('GET', `/v1/instances/${id}/blocked?limit=1&cursor=${first.next_cursor}`)
    expect(second.body).toEqual({ data: [{ phone: BEN }], next_cursor: null, has_more: false })
  })

  test.each([
    ['no phone', {}],
    ['letters', { phone: 'ana' }],
    ['a group', { phone: '120363041234567890@g.us' }],
    ['another field', { phone: ANA, reason: 'spam' }],
  ])('%s is refused, and nobody is blocked', async (_, body) => {
    expect(codeOf(await w.api('POST', `/v1/instances/${id}/blocked`, body))).toEqual([400, 'validation_error'])
    expect(codeOf(await w.api('DELETE', `/v1/instances/${id}/blocked/ana`))).toEqual([400, 'validation_error'])
    expect(await listOf(id)).toEqual([])
  })

  test('the typing indicator can be sent, and only with a valid state', async () => {
    expect((await w.api('POST', `/v1/instances/${id}/chats/${ANA}/typing`)).status).toBe(204)
    expect((await w.api('POST', `/v1/instances/${id}/chats/${ANA}/typing`, { state: 'typing' })).status).toBe(204)
    const wrong = await w.api('POST', `/v1/instances/${id}/chats/${ANA}/typing`, { state: 'thinking' })
    expect(codeOf(wrong)).toEqual([400, 'validation_error'])
    expect(codeOf(await w.api('POST', `/v1/instances/${id}/chats/ana/typing`))).toEqual([400, 'validation_error'])
  })

  test('blocking and typing are refused while the number is not connected', async () => {
    const { id: idle } = await w.instance({ engine })
    expect(codeOf(await w.api('GET', `/v1/instances/${idle}/blocked`))).toEqual([409, 'not_ready'])
    expect(codeOf(await w.api('POST', `/v1/instances/${idle}/blocked`, { phone: ANA }))).toEqual([409, 'not_ready'])
    expect(codeOf(await w.api('POST', `/v1/instances/${idle}/chats/${ANA}/typing`))).toEqual([409, 'not_ready'])
  })
})

describe('with the rules of Meta', () => {
  const STRANGER = '12025550309'

  test('people who have not written in the last 24 hours cannot be blocked, nor can the own number', async () => {
    const number = OURS
    const { id } = await w.official(OURS)
    const refused = await w.api('POST', `/v1/instances/${id}/blocked`, { phone: STRANGER })
    expect(codeOf(refused)).toEqual([409, 'invalid_state'])
    expect(refused.body.error.message).toContain('(131047)')
    expect(codeOf(await w.api('POST', `/v1/instances/${id}/blocked`, { phone: number }))).toEqual([
      409,
      'invalid_state',
    ])
    expect(await listOf(id)).toEqual([])
  })

  test('a message to a blocked person is refused', async () => {
    const number = OURS
    const { id } = await w.official(OURS)
    await say(ANA, number)
    await w.pass(1_000)
    await w.api('POST', `/v1/instances/${id}/blocked`, { phone: ANA })
    const sent = await w.api('POST', `/v1/instances/${id}/messages`, { to: ANA, text: 'Hello?' })
    expect(sent.body).toMatchObject({ sent: false })
    const { body } = await w.api('GET', `/v1/instances/${id}/messages/${sent.body.message_id}`)
    expect(body).toMatchObject({ status: 'failed', error: { code: 'undeliverable', provider_code: 131_026 } })
  })

  test('typing is refused before the person has written, for other states and for groups', async () => {
    const number = OURS
    const { id } = await w.official(OURS)
    const path = `/v1/instances/${id}/chats/${STRANGER}/typing`
    expect(codeOf(await w.api('POST', path))).toEqual([409, 'invalid_state'])
    await say(STRANGER, number)
    await w.pass(1_000)
    expect((await w.api('POST', path)).status).toBe(204)
    expect(codeOf(await w.api('POST', path, { state: 'recording' }))).toEqual([400, 'engine_mismatch'])
    const inGroup = `/v1/instances/${id}/chats/120363041234567890@g.us/typing`
    expect(codeOf(await w.api('POST', inGroup))).toEqual([400, 'engine_mismatch'])
  })

  test('an id assigned by Meta is refused on smv2', async () => {
    const { id } = await w.pair()
    const refused = await w.api('POST', `/v1/instances/${id}/blocked`, { phone: 'US.900000000000001' })
    expect(codeOf(refused)).toEqual([400, 'validation_error'])
  })
})
