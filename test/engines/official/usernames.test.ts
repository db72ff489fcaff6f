import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { graphWorld, soon, type Credentials, type GraphWorld } from './graph-world.ts'

let world: GraphWorld
let credentials: Credentials
let instance: EngineInstance
beforeAll(async () => {
  world = await graphWorld()
  credentials = await world.number('12025550400')
  instance = await world.connect(credentials)
})
afterAll(() => world.close())

function usernames() {
  const { usernames: found } = world.official.engine
  if (found === undefined) throw new Error('the engine has no usernames')
  return found
}
const ask = async (method: string, edge: string, body?: object, { phoneNumberId, accessToken } = credentials) => {
  const answer = await fetch(`${world.graph.url()}/v26.0/${phoneNumberId}/${edge}`, {
    method,
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}
const portfolioOf = (of: EngineInstance) => world.official.engine.evidence(of).portfolio?.id ?? null
const OTHER = '0197f0c2-0000-7000-8000-000000000002' as AccountId
const told = () =>
  world.callbacks
    .flatMap(({ entry }) => entry[0].changes)
    .filter(({ field }) => field === 'business_username_update')
    .map(({ value }) => value)

describe('the simulated Meta', () => {
  test('reserves a username, reports it, and omits it if there is none', async () => {
    expect((await ask('GET', 'username')).body).toEqual({})
    expect((await ask('POST', 'username', { username: 'acme_one' })).body).toEqual({ success: true })
    expect((await ask('GET', 'username')).body).toEqual({ username: 'acme_one', status: 'reserved' })
    await soon('the callback', () => told().length === 1)
    expect(told()).toEqual([{ display_phone_number: '12025550400', username: 'acme_one', status: 'reserved' }])
    const [{ username_suggestions: names }] = (await ask('GET', 'username_suggestions')).body.data
    expect(names.length).toBeGreaterThan(0)
    await ask('DELETE', 'username')
    await soon('the callback', () => told().at(-1)?.status === 'deleted')
  })

  test.each<[string, number]>([
    ...['ab', 'a'.repeat(36), 'acme-one', '.acme', 'acme.', 'ac..me', 'www.acme', 'acme.com', '12345', 'açme'].map(
      (username): [string, number] => [username, 100],
    ),
    ['whatsapp', 147_001],
    ['facebook_acme', 147_003],
    ['instagram_acme', 147_004],
  ])('refuses %s with %s', async (username, code) => {
    const { status, body } = await ask('POST', 'username', { username })
    expect([status, body.error.code]).toEqual([400, code])
    expect((await ask('GET', 'username')).body).toEqual({})
  })

  test('moves a username within the portfolio only on request, and never from another portfolio', async () => {
    const sibling = await world.number('12025550401', { portfolioId: credentials.portfolioId })
    const stranger = await world.number('12025550402')
    await ask('POST', 'username', { username: 'acme_two' }, sibling)
    const code = async (body: object, of = credentials) => (await ask('POST', 'username', body, of)).body.error?.code
    expect(await code({ username: 'acme_two' })).toBe(147_005)
    expect(await code({ username: 'acme_two', transfer_action: 'force_transfer' }, stranger)).toBe(147_001)
    expect(await code({ username: 'acme_two', transfer_action: 'force_transfer' })).toBeUndefined()
    expect((await ask('GET', 'username', undefined, sibling)).body).toEqual({})
    await ask('DELETE', 'username')
    const limited = await world.number('12025550463')
    expect(await code({ username: 'acme_three' }, limited)).toBe(147_002)
  })
})

describe('the adapter', () => {
  test('claims, reads and releases a username', async () => {
    expect(await usernames().read(instance)).toBeNull()
    expect(await usernames().claim(instance, 'acme_help', false)).toEqual({ username: 'acme_help', status: 'reserved' })
    await world.graph.decideUsername(credentials.phoneNumberId, 'approved')
    expect(await usernames().read(instance)).toEqual({ username: 'acme_help', status: 'approved' })
    expect(await usernames().suggestions(instance)).toContain('business_0400')
    await usernames().release(instance)
    expect(await usernames().read(instance)).toBeNull()
    await expect(usernames().release(instance)).resolves.toBeUndefined()
  })

  test.each([
    ['whatsapp', 'username_taken'],
    ['facebook_acme', 'username_needs_facebook'],
    ['instagram_acme', 'username_needs_instagram'],
  ])('explains why Meta refuses %s', async (username, reason) => {
    await expect(usernames().claim(instance, username, false)).rejects.toMatchObject({
      ...{ code: 'invalid_state', detail: { reason } },
    })
  })

  test('claims no username of a portfolio that other accounts share', async () => {
    const sibling = await world.connect(await world.number('12025550403', { portfolioId: credentials.portfolioId }))
    await soon('the portfolio', () => portfolioOf(sibling) !== null && portfolioOf(sibling) === portfolioOf(instance))
    await usernames().claim(sibling, 'acme_moves', false)
    expect(await usernames().claim(instance, 'acme_moves', true)).toMatchObject({ username: 'acme_moves' })
    await world.data.db.commit((tx) => world.official.engine.rehome?.(tx, sibling.id, OTHER) ?? Promise.resolve())
    await expect(usernames().claim(sibling, 'acme_moves', true)).rejects.toMatchObject({
      ...{ code: 'invalid_state', detail: { reason: 'username_portfolio_shared' } },
    })
    expect(await usernames().read(instance)).toMatchObject({ username: 'acme_moves' })
    await usernames().release(instance)
  })

  test('reports when Meta removes the username, but not when it was released here', async () => {
    const shown = () =>
      (world.official.engine.evidence(instance).issues ?? []).filter(({ code }) => code === 'username_removed')
    await usernames().claim(instance, 'acme_gone', false)
    await usernames().release(instance)
    await soon('the callback', () => told().at(-1)?.status === 'deleted')
    await usernames().claim(instance, 'acme_kept', false)
    await soon('the callback', () => told().at(-1)?.username === 'acme_kept')
    expect(shown()).toEqual([])
    await world.graph.decideUsername(credentials.phoneNumberId, 'deleted')
    await soon('the notice', () => shown().length === 1)
    expect(shown()[0]?.message).toContain('acme_kept')
    await usernames().claim(instance, 'acme_again', false)
    await soon('its end', () => shown().length === 0)
    await usernames().release(instance)
  })
})
