import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemRandom } from '../../main/kernel/ids.ts'
import { createConfirmations } from '../../main/faces/mcp/confirmations.ts'
import { fakeClock } from '../support/clock.ts'
import { openHouse, type House, type Person } from './mcp-house.ts'
import { INSTANCE_ID, OTHER_ID } from './sample.ts'

let house: House
beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.close())
beforeEach(() => void house.asked.splice(0))

/** What was carried out, leaving out what was only looked up to name it. */
const done = () => house.asked.map(({ operation }) => operation).filter((name) => !/^(get|find)/.test(name))

const yes: Person = () => ({ action: 'accept', content: { confirm: true } })
const given = { instance_id: INSTANCE_ID }

describe.each(['modern', 'legacy'] as const)('a %s client that can ask the person', (era) => {
  const call = async (person: Person, name: string, args: Record<string, unknown>, key = house.key()) => {
    const heard: string[] = []
    const client = await house.connect(key, era, (message) => {
      heard.push(message)
      return person(message)
    })
    return { heard, result: await client.callTool({ name, arguments: args }) }
  }

  test('asks with the name of the resource, and then carries the call out', async () => {
    const { heard, result } = await call(yes, 'delete_line', given)
    expect(heard).toEqual([`Delete a line: “Berlin shop” (${INSTANCE_ID}). This cannot be undone.`])
    expect(result.structuredContent).toEqual({ id: INSTANCE_ID, deleted: true })
    expect(done()).toEqual(['deleteLine'])
  })

  test('asks even if the model claims that the person agreed', async () => {
    const { heard, result } = await call(() => ({ action: 'decline' }), 'delete_line', { ...given, confirm: true })
    expect(heard).toHaveLength(1)
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'confirmation_required' } } })
    expect(done()).toEqual([])
  })

  test('names the resource even if the key may not read it', async () => {
    const { heard } = await call(yes, 'delete_line', given, house.key({ scopes: ['instances:write'] }))
    expect(heard[0]).toContain('“Berlin shop”')
    expect(done()).toEqual(['deleteLine'])
  })

  test('also asks about permanent removals without confirm=true in REST', async () => {
    const { heard, result } = await call(yes, 'delete_hook', { webhook_id: 'whk_1' })
    expect(heard).toEqual(['Delete a webhook: whk_1.'])
    expect(result.isError).toBeUndefined()
    expect(done()).toEqual(['deleteHook'])
  })

  test.each<[string, Person]>([
    ['declines', () => ({ action: 'decline' })],
    ['closes the question', () => ({ action: 'cancel' })],
    ['sends the form back unchecked', () => ({ action: 'accept', content: { confirm: false } })],
  ])('does nothing when the person %s', async (_what, person) => {
    const { result } = await call(person, 'delete_line', given)
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.structuredContent)).toContain('declined')
    expect(done()).toEqual([])
  })

  test.each([
    ['is not there', 'delete_line', { instance_id: 'nothing' }, 'not_found'],
    ['has an argument too many', 'delete_line', { ...given, deep: true }, 'validation_error'],
    ['has a confirm that is no boolean', 'delete_line', { ...given, confirm: 'true' }, 'validation_error'],
  ])('does not ask about a call that %s', async (_what, name, args, code) => {
    const { heard, result } = await call(yes, name, args)
    expect(heard).toEqual([])
    expect(result.structuredContent).toMatchObject({ error: { code } })
    expect(done()).toEqual([])
  })

  test('does not ask if the key may not do it', async () => {
    const scopeless = await call(yes, 'delete_line', given, house.key({ scopes: ['instances:read'] }))
    expect(scopeless.result.structuredContent).toMatchObject({ error: { code: 'insufficient_scope' } })
    const elsewhere = await call(yes, 'delete_line', given, house.key({ instances: [OTHER_ID] }))
    expect(elsewhere.result.structuredContent).toMatchObject({ error: { code: 'not_found' } })
    expect([...scopeless.heard, ...elsewhere.heard, ...done()]).toEqual([])
  })

  test('does not ask about calls that remove nothing', async () => {
    const { heard } = await call(yes, 'send_words', { ...given, to: '12025550123', text: 'Hello' })
    expect(heard).toEqual([])
    expect(done()).toEqual(['sendWords'])
  })
})

describe.each(['modern', 'legacy'] as const)('a %s client that cannot ask', (era) => {
  const call = async (name: string, args: Record<string, unknown>) =>
    (await house.connect(house.key(), era)).callTool({ name, arguments: args })

  test.each([
    ['delete_line', given, 'deleteLine'],
    ['delete_hook', { webhook_id: 'whk_1' }, 'deleteHook'],
  ])('carries out %s with confirm: true and not without', async (name, args, operation) => {
    const refused = await call(name, args)
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'confirmation_required' } } })
    const unsure = await call(name, { ...args, confirm: false })
    expect(unsure.structuredContent).toMatchObject({ error: { code: 'confirmation_required' } })
    expect(done()).toEqual([])
    expect((await call(name, { ...args, confirm: true })).isError).toBeUndefined()
    expect(done()).toEqual([operation])
  })
})

describe('the confirmation state in 2026-07-28', () => {
  const answered = { confirm: { action: 'accept', content: { confirm: true } } }
  const send = async (key: string, args: object, more: object = {}, name = 'delete_line') => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
    const params = { name, arguments: args, ...more, _meta }
    return (await house.post(key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)).json()
  }
  const question = async (key: string): Promise<string> => {
    const { result } = await send(key, given)
    expect(result.resultType).toBe('input_required')
    return result.requestState
  }
  const refusal = { error: { code: -32_602, data: { reason: 'invalid_request_state' } } }

  test('is accepted once', async () => {
    const key = house.key()
    const requestState = await question(key)
    const first = await send(key, given, { requestState, inputResponses: answered })
    expect(first.result.structuredContent).toEqual({ id: INSTANCE_ID, deleted: true })
    const again = await send(key, given, { requestState, inputResponses: answered })
    expect(again).toMatchObject(refusal)
    expect(done()).toEqual(['deleteLine'])
  })

  test('is not accepted twice concurrently', async () => {
    const key = house.key()
    const requestState = await question(key)
    const both = await Promise.all([1, 2].map(() => send(key, given, { requestState, inputResponses: answered })))
    expect(both.filter(({ result }) => result !== undefined)).toHaveLength(1)
    expect(done()).toEqual(['deleteLine'])
  })

  test('is refused when any of its characters was changed', async () => {
    const key = house.key()
    const state = await question(key)
    for (let at = 0; at < state.length; at += 7) {
      const requestState = `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`
      expect(await send(key, given, { requestState, inputResponses: answered }), requestState).toMatchObject(refusal)
    }
    expect(done()).toEqual([])
  })

  test('is refused for another key, another resource and another tool', async () => {
    const key = house.key()
    const requestState = await question(key)
    const more = { requestState, inputResponses: answered }
    expect(await send(house.key(), given, more)).toMatchObject(refusal)
    expect(await send(key, { instance_id: OTHER_ID }, more)).toMatchObject(refusal)
    expect(await send(key, { webhook_id: INSTANCE_ID }, more, 'delete_hook')).toMatchObject(refusal)
    expect(done()).toEqual([])
    expect((await send(key, given, more)).result.isError).toBeUndefined()
  })

  test('is refused five minutes later', async () => {
    const key = house.key()
    const [early, late] = [await question(key), await question(key)]
    await house.clock.advance(5 * 60_000 - 1)
    expect((await send(key, given, { requestState: early, inputResponses: answered })).result).toBeDefined()
    await house.clock.advance(1)
    expect(await send(key, given, { requestState: late, inputResponses: answered })).toMatchObject(refusal)
    expect(done()).toEqual(['deleteLine'])
  })

  test('is requested again when the state or the answer is missing', async () => {
    const key = house.key()
    const unasked = await send(key, given, { inputResponses: answered })
    expect(unasked.result.resultType).toBe('input_required')
    const unanswered = await send(key, given, { requestState: await question(key) })
    expect(unanswered.result.resultType).toBe('input_required')
    expect(done()).toEqual([])
  })
})

test('a confirmation of another process is refused, because its secret is random at start', () => {
  const clock = fakeClock()
  const call = { owner: 'key', tool: 'delete_line', given }
  const [one, other] = [1, 2].map(() => createConfirmations({ clock, random: systemRandom })) as [
    ReturnType<typeof createConfirmations>,
    ReturnType<typeof createConfirmations>,
  ]
  const state = one.issue(call)
  expect(other.redeem(state, call)).toBe(false)
  expect(one.redeem(state, { ...call, given: { confirm: true, ...given } })).toBe(true)
})
