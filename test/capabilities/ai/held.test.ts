import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../main/kernel/clock.ts'
import { asConsole } from '../../support/console.ts'
import { officialNumber } from '../../support/official-number.ts'
import { world, type World } from '../../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world({ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } })
})
afterAll(() => w.close())

test('the list of agents says whose answers wait because Meta holds the number', async () => {
  const [held, limited, free] = [
    await officialNumber(w, '12025550441'),
    await officialNumber(w, '12025550442'),
    await officialNumber(w, '12025550443'),
  ]
  const template = { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } }
  for (const line of [held, limited, free]) {
    const at = `/v1/instances/${line.id}/ai`
    expect((await w.api('POST', `${at}/agents`, { name: 'Reception', provider: 'builtin' })).status).toBe(201)
    expect((await w.api('PATCH', `${at}/settings`, { enabled: true })).status).toBe(200)
  }
  await held.cause('payment_missing')
  // Who writes to a number that was reported as spam is still answered.
  await limited.cause('number_limited')
  for (const { id } of [held, limited])
    await w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550101', cloud_api: template })
  const waiting = async () => {
    const { data } = (await asConsole(w)('GET', '/v1/ai-instances')).body
    const byId = new Map(data.map((row: { instance_id: string; is_held: boolean }) => [row.instance_id, row.is_held]))
    return [held, limited, free].map(({ id }) => byId.get(id))
  }
  expect(await waiting()).toEqual([true, false, false])
  await w.api('PATCH', `/v1/instances/${held.id}/ai/settings`, { answer_over_linked_number: true })
  expect(await waiting()).toEqual([false, false, false])
})

test('the account decides whether answers use the linked number, except for numbers with their own setting', async () => {
  const [own, other] = [await officialNumber(w, '12025550444'), await officialNumber(w, '12025550445')]
  const ruleOf = async (id: string) => {
    const { body } = await w.api('GET', `/v1/instances/${id}/ai/settings`)
    return [body.answer_over_linked_number, body.answer_over_linked_number_source]
  }
  const set = async (path: string, answer_over_linked_number: boolean | null) => {
    const answer = await w.api('PATCH', path, { answer_over_linked_number })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  for (const { id } of [own, other]) {
    const at = `/v1/instances/${id}/ai`
    expect((await w.api('POST', `${at}/agents`, { name: 'Reception', provider: 'builtin' })).status).toBe(201)
    expect((await w.api('PATCH', `${at}/settings`, { enabled: true })).status).toBe(200)
  }
  expect((await w.api('GET', '/v1/ai-settings')).body).toEqual({ answer_over_linked_number: false, updated_at: null })
  await set(`/v1/instances/${own.id}/ai/settings`, false)
  expect([await ruleOf(own.id), await ruleOf(other.id)]).toEqual([
    [false, 'number'],
    [false, 'account'],
  ])
  const changed = await set('/v1/ai-settings', true)
  expect(changed).toEqual({ answer_over_linked_number: true, updated_at: expect.any(String) })
  expect(await set('/v1/ai-settings', true)).toEqual(changed)
  expect((await w.api('PATCH', '/v1/ai-settings', {})).body).toEqual(changed)
  expect([await ruleOf(own.id), await ruleOf(other.id)]).toEqual([
    [false, 'number'],
    [true, 'account'],
  ])
  // As a turn decides it.
  for (const line of [own, other]) {
    await line.cause('payment_missing')
    const template = { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } }
    await w.api('POST', `/v1/instances/${line.id}/messages`, { to: '12025550101', cloud_api: template })
  }
  const { data } = (await asConsole(w)('GET', '/v1/ai-instances')).body
  const isHeld = (id: string) => data.find((row: { instance_id: string }) => row.instance_id === id).is_held
  expect([isHeld(own.id), isHeld(other.id)]).toEqual([true, false])
  // Another account has rules of its own.
  const { key } = await w.stranger()
  const theirs = await w.api('GET', '/v1/ai-settings', undefined, { key })
  expect(theirs.body).toEqual({ answer_over_linked_number: false, updated_at: null })

  const back = await set(`/v1/instances/${own.id}/ai/settings`, null)
  expect([back.answer_over_linked_number, back.answer_over_linked_number_source]).toEqual([true, 'account'])
  const unchanged = await w.api('PATCH', `/v1/instances/${own.id}/ai/settings`, { ignore_groups: false })
  expect(unchanged.body.answer_over_linked_number_source).toBe('account')
  await set('/v1/ai-settings', false)
  expect(await ruleOf(own.id)).toEqual([false, 'account'])
})
