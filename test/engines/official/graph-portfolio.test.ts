import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ANA, graphWorld, type Credentials, type GraphWorld } from './graph-world.ts'

const DAY_MS = 86_400_000
const stranger = (index: number) => `1202556${String(index).padStart(4, '0')}`
const template = (to: string) => ({
  ...{ messaging_product: 'whatsapp', to, type: 'template' },
  template: {
    name: 'order_update',
    language: { code: 'en' },
    components: [{ type: 'body', parameters: ['Ana', '7'].map((text) => ({ type: 'text', text })) }],
  },
})

let world: GraphWorld
let one: Credentials
let other: Credentials
beforeEach(async () => {
  world = await graphWorld()
  one = await world.number('12025550200', { messagingLimit: 'TIER_3' })
  other = await world.number('12025550201', { portfolioId: one.portfolioId })
})
afterEach(() => world.close())

const ask = async ({ accessToken }: Credentials, path: string, body?: object) => {
  const answer = await fetch(`${world.graph.url()}/v26.0/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as { error?: { code: number } } & Record<string, unknown>
}
const write = async (from: Credentials, to: string) =>
  (await ask(from, `${from.phoneNumberId}/messages`, template(to))).error?.code ?? 'taken'

describe('the simulated Meta', () => {
  test('counts different people over all numbers of a portfolio, and refuses the next one', async () => {
    expect(await write(one, stranger(1))).toBe('taken')
    expect(await write(other, stranger(2))).toBe('taken')
    expect(await write(one, stranger(2))).toBe('taken')
    expect(await write(other, stranger(3))).toBe('taken')
    expect(await write(one, stranger(4))).toBe(131_048)
    expect(await write(other, stranger(4))).toBe(131_048)
    expect(await write(other, stranger(1))).toBe('taken')
  })

  test('does not count people who wrote in the last 24 hours', async () => {
    for (let i = 1; i <= 3; i++) await write(one, stranger(i))
    expect(await write(one, ANA)).toBe('taken')
    expect(await write(one, stranger(4))).toBe(131_048)
  })

  test('counts a person until 24 hours after the last message, and nobody whose message it refused', async () => {
    for (let i = 1; i <= 4; i++) await write(one, stranger(i))
    world.data.raw.prepare(`UPDATE sandbox_graph_reached SET at = at - ${DAY_MS} WHERE recipient = ?`).run(stranger(1))
    expect(await write(one, stranger(5))).toBe('taken')
    expect(await write(one, stranger(1))).toBe(131_048)
  })

  test('never exceeds the limit with two numbers at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, (_, i) => write(i % 2 ? one : other, stranger(i))))
    expect(all.filter((code) => code === 'taken')).toHaveLength(3)
  })

  test('keeps other portfolios separate', async () => {
    for (let i = 1; i <= 4; i++) await write(one, stranger(i))
    const third = await world.number('12025550202')
    expect(third.portfolioId).not.toBe(one.portfolioId)
    expect(await write(third, stranger(4))).toBe('taken')
  })

  test('returns the requested fields', async () => {
    const fields = 'quality_rating,whatsapp_business_manager_messaging_limit,messaging_limit_tier'
    expect(await ask(one, `${one.phoneNumberId}?fields=${fields}`)).toEqual({
      ...{ id: one.phoneNumberId, quality_rating: 'GREEN', whatsapp_business_manager_messaging_limit: 'TIER_3' },
    })
    expect(await ask(other, `${other.wabaId}?fields=owner_business_info`)).toEqual({
      id: other.wabaId,
      owner_business_info: { id: one.portfolioId, name: expect.any(String) },
    })
  })

  test('omits an unknown limit, and then allows 250 people to a new business', async () => {
    await world.graph.limit(one.phoneNumberId, null)
    const fields = 'whatsapp_business_manager_messaging_limit'
    expect(await ask(one, `${one.phoneNumberId}?fields=${fields}`)).toEqual({ id: one.phoneNumberId })
    for (let i = 1; i <= 4; i++) expect(await write(one, stranger(i))).toBe('taken')
  })

  test('refuses new chats, or also replies, while it restricts an account', async () => {
    const untilMs = Date.now() + 60_000
    await world.graph.restrict(one.phoneNumberId, [{ type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', untilMs }])
    expect([await write(one, stranger(1)), await write(one, ANA), await write(other, stranger(1))]).toEqual([
      ...[368, 'taken', 'taken'],
    ])
    await world.graph.restrict(one.phoneNumberId, [{ type: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING', untilMs: null }])
    expect(await write(one, ANA)).toBe(368)
    await world.graph.restrict(one.phoneNumberId, [{ type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', untilMs: 0 }])
    expect(await write(one, stranger(2))).toBe('taken')
  })
})
