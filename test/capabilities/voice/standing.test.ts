import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { clientOf, freeze, pairedIn, type Client } from '../agency/agency-world.ts'
import { until, voiceOf } from './calls.ts'
import { OFFER } from './offers.ts'

const TO = '12025550123'
const FEATURES = { features: ['campaigns', 'ai', 'voice', 'ghl', 'mcp'] }

async function callingClient(w: World) {
  const client = await clientOf(w, FEATURES)
  const { id } = await pairedIn(w, client, '12025551111')
  const enabled = await client.api('POST', `${voiceOf(id)}/enable`)
  expect(enabled.status, enabled.text).toBe(200)
  return { client, id, call: callOf(client, id) }
}

const callOf =
  (client: Client, id: string) =>
  (more: object = {}) =>
    client.api('POST', `${voiceOf(id)}/calls`, { to_number: TO, agent_id: 'agent-1', ...more })

const ended = (w: World, client: Client, id: string, callId: string) =>
  until(
    w,
    async () => (await client.api('GET', `${voiceOf(id)}/calls/${callId}`)).body,
    ({ status }) => !['scheduled', 'dialing', 'ringing', 'in_progress'].includes(status),
  )

const soon = (w: World) => new Date(w.clock.now() + 60_000).toISOString()

test('a suspended account schedules no call, and its scheduled calls are not dialed and say why', async () => {
  const w = await worldOfTest({ voiceAgents: testAgents() })
  const { client, id, call } = await callingClient(w)
  const planned = await call({ scheduled_at: soon(w) })
  const kept = await call({ scheduled_at: new Date(w.clock.now() + 600_000).toISOString() })
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  const batch = { numbers: [TO], agent_id: 'agent-1' }
  for (const refused of [
    await call(),
    await call({ scheduled_at: soon(w) }),
    await client.api('POST', `${voiceOf(id)}/calls/batch`, batch),
  ]) {
    expect([refused.status, refused.body.error.code]).toEqual([403, 'account_suspended'])
    expect(refused.body.error.message).toContain('Ask your agency to activate it.')
  }
  expect(await ended(w, client, id, planned.body.id)).toMatchObject({
    ...{ status: 'failed', end_reason: 'account_suspended', attempt: 0 },
  })
  await w.api('POST', `/v1/agency/accounts/${client.id}/activate`)
  expect((await call()).status).toBe(201)
  expect(await ended(w, client, id, kept.body.id)).toMatchObject({ status: 'completed' })
})

test('a suspended account answers no widget, and nobody calls from its window', async () => {
  const w = await worldOfTest({ voiceAgents: testAgents() })
  const { client, id } = await callingClient(w)
  const origin = 'https://www.example.com'
  const widget = (await client.api('POST', `${voiceOf(id)}/widgets`, { name: 'Site', allowed_origins: [origin] })).body
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  const begun = await w.service.door.app.inject({
    ...{ method: 'POST', url: `/widget/${widget.public_key}/sessions`, headers: { host: w.host, origin } },
    payload: { offer: OFFER },
  })
  expect([begun.statusCode, begun.json().error.message]).toEqual([503, 'Nobody can answer here at the moment.'])
  const inWindow = asConsole({ ...w, account: { id: client.id, name: 'Client' } as World['account'] })
  const softphone = await inWindow('POST', `${voiceOf(id)}/softphone`, { to_number: TO, offer: `v=0${'x'.repeat(40)}` })
  expect(softphone.body.error.code).toBe('account_suspended')
  expect(await w.rows('SELECT id FROM voice_calls')).toEqual([])
})

test('a frozen account does not dial', async () => {
  const w = await worldOfTest({ voiceAgents: testAgents() })
  const { client, id, call } = await callingClient(w)
  const planned = await call({ scheduled_at: soon(w) })
  await freeze(w, client)
  const refused = await call()
  expect([refused.status, refused.body.error.code]).toEqual([409, 'invalid_state'])
  expect(refused.body.error.message).toContain('frozen because a payment failed more than seven days ago')
  expect(await ended(w, client, id, planned.body.id)).toMatchObject({
    ...{ status: 'failed', end_reason: 'account_frozen', attempt: 0 },
  })
})

test('calls and their seconds are counted for the day, once each, with the commit that ends them', async () => {
  const w = await worldOfTest({ voiceAgents: testAgents() })
  const { client, id, call } = await callingClient(w)
  const ids = []
  for (const to_number of [TO, '12025550124', '12025550486']) ids.push((await call({ to_number })).body.id)
  const canceled = await call({ scheduled_at: soon(w) })
  await client.api('POST', `${voiceOf(id)}/calls/${canceled.body.id}/cancel`)
  let seconds = 0
  for (const callId of ids) seconds += Number((await ended(w, client, id, callId)).duration_seconds ?? 0)
  await w.pass(5_000)
  expect(seconds).toBeGreaterThan(0)
  const usage = (await w.api('GET', `/v1/agency/usage?account_id=${client.id}`)).body
  // The person who was busy was not reached; the call that was canceled was not made.
  expect(usage.totals).toMatchObject({ calls: 2, call_seconds: seconds })
  expect(usage.data).toMatchObject([{ account_id: client.id, instance_id: id, calls: 2, call_seconds: seconds }])
})
