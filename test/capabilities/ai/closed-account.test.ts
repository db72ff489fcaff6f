import { expect, test } from 'vitest'
import { worldOfTest } from '../../support/world.ts'
import { clientOf, pairedIn } from '../agency/agency-world.ts'

const SANDBOX = { api_key: 'sandbox-key', base_url: 'https://model.sandbox/v1' }

test('an agent of a suspended account asks no model and leaves the chat to a person', async () => {
  const w = await worldOfTest()
  const client = await clientOf(w, { features: ['ai'] })
  const line = await pairedIn(w, client, '12025551111')
  const ai = async (method: string, path: string, body: object) => {
    const answer = await client.api(method, `/v1/instances/${line.id}/ai/${path}`, body)
    expect(answer.status, answer.text).toBeLessThan(300)
  }
  const asked = async () => (await client.api('GET', '/v1/sandbox/model')).body.requests.length
  await ai('PUT', 'provider-keys/custom', SANDBOX)
  await ai('POST', 'agents', { name: 'Agent', provider: 'custom', model: 'sandbox-1' })
  await ai('PATCH', 'settings', { enabled: true })
  const write = (text: string) =>
    client.api('POST', '/v1/sandbox/phones/12025550177/messages', { to: '12025551111', text })

  await write('Hello?')
  await w.pass(10_000)
  const before = await asked()
  expect(before).toBeGreaterThan(0)
  const heard = async () => (await client.api('GET', '/v1/sandbox/phones/12025550177/messages')).body.data.length
  const told = await heard()

  await client.api('POST', `/v1/instances/${line.id}/ai/conversations/12025550177/resume`)
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  await write('Are you open today?')
  await w.pass(10_000)
  expect([await asked(), await heard()]).toEqual([before, told])
  const [turn] = await w.rows<{ reason: string; detail: string }>(
    'SELECT reason, detail FROM ai_turns ORDER BY seq DESC LIMIT 1',
  )
  expect(turn).toEqual({ reason: 'not_sent', detail: 'account_suspended' })
})
