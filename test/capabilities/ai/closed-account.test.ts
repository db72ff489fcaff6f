import { expect, test } from 'vitest'
import { worldOfTest } from '../../support/world.ts'
import { clientOf, pairedIn } from '../agency/agency-world.ts'

test('an agent of a suspended account does not ask its model, and leaves the chat to a person', async () => {
  const w = await worldOfTest()
  const client = await clientOf(w, { features: ['ai'] })
  const line = await pairedIn(w, client, '12025551111')
  const ai = async (method: string, path: string, body: object) => {
    const answer = await client.api(method, `/v1/instances/${line.id}/ai/${path}`, body)
    expect(answer.status, answer.text).toBeLessThan(300)
  }
  await ai('POST', 'faq', { question: 'Are you open today?', answer: 'Until six.' })
  await ai('POST', 'agents', { name: 'Agent', provider: 'builtin' })
  await ai('PATCH', 'settings', { enabled: true })
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  const said = { to: '12025551111', text: 'Are you open today?' }
  await client.api('POST', '/v1/sandbox/phones/12025550177/messages', said)
  await w.pass(10_000)
  expect(await w.rows('SELECT agent_id, reason, detail FROM ai_turns')).toEqual([
    { agent_id: null, reason: 'not_sent', detail: 'account_suspended' },
  ])
  expect((await client.api('GET', '/v1/sandbox/phones/12025550177/messages')).body.data).toEqual([])
})
