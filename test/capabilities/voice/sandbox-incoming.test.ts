import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { scriptedVoice, type ScriptedVoice } from '../../support/scripted-voice.ts'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { callingInstance, ended, until, voiceOf } from './calls.ts'
import { OFFER } from './offers.ts'

const CALLER = '12025550177'

async function scene(voice?: ScriptedVoice) {
  const w = await worldOfTest({ voiceAgents: testAgents(), ...(voice && { startVoice: voice.start }) })
  const id = await callingInstance(w)
  const ours: string = (await w.api('GET', `/v1/instances/${id}`)).body.phone_number
  const place = async (body: object = {}) => {
    const answer = await w.api('POST', `/v1/sandbox/phones/${CALLER}/calls`, { to: ours, ...body })
    expect(answer.status, answer.text).toBe(201)
    return answer.body as { call_id: string; voice_call: { instance_id: string; call_id: string } | null }
  }
  const read = async (callId: string) => (await w.api('GET', `${voiceOf(id)}/calls/${callId}`)).body
  const hangUp = (callId: string, number = CALLER) =>
    w.api('POST', `/v1/sandbox/phones/${number}/calls/${callId}/hang-up`)
  return { w, id, ours, place, read, hangUp, inWindow: asConsole(w) }
}

const endings = async (w: World) => {
  await w.quiet()
  return (await w.rows<{ body: string }>(`SELECT signal AS body FROM sandbox_timeline`)).map(({ body }) => body)
}

test('a call from a phone rings in the list of calls, and is missed after 30 seconds', async () => {
  const { w, id, ours, place, read, inWindow } = await scene()
  const { voice_call: call } = await place()
  expect(call?.instance_id).toBe(id)
  const ringing = await read(call?.call_id ?? '')
  expect(ringing).toMatchObject({
    ...{ direction: 'inbound', status: 'ringing', gateway: 'sandbox', source: 'phone', agent_id: null },
    ...{ from_number: CALLER, to_number: ours, ended_at: null },
  })
  const live = (await inWindow('GET', '/v1/voice/live-calls')).body.data
  expect(live).toMatchObject([{ id: ringing.id, status: 'ringing', can_listen: false }])
  await w.clock.advance(29_000)
  expect((await read(ringing.id)).status).toBe('ringing')
  expect(await ended(w, id, ringing.id)).toMatchObject({
    status: 'no_answer',
    end_reason: 'no_answer',
    answered_at: null,
  })
  expect(await endings(w)).toEqual([])
  expect((await inWindow('GET', '/v1/voice/live-calls')).body.data).toEqual([])
})

test('a person in the window answers, once; the caller hangs up', async () => {
  const voice = scriptedVoice((each, { callId }) => {
    each.say({ kind: 'console_answer', callId, sdp: 'v=0 answer' })
    each.say({ kind: 'state', callId, state: 'in_progress' })
  })
  const { w, id, place, read, hangUp, inWindow } = await scene(voice)
  const { call_id, voice_call: call } = await place()
  const at = `${voiceOf(id)}/calls/${call?.call_id ?? ''}/answer`
  const garbage = await inWindow('POST', at, { offer: 'v=0' })
  expect([garbage.status, (await read(call?.call_id ?? '')).status]).toEqual([400, 'ringing'])
  const taken = await inWindow('POST', at, { offer: OFFER })
  expect([taken.status, taken.body.answer]).toEqual([201, 'v=0 answer'])
  expect(voice.plans).toMatchObject([{ agent: null, consoleOffer: OFFER, route: { kind: 'sandbox' } }])
  const again = await inWindow('POST', at, { offer: OFFER })
  expect([again.status, again.body.error.code]).toEqual([409, 'invalid_state'])
  // Beyond the time it may ring.
  await w.clock.advance(60_000)
  expect((await read(call?.call_id ?? '')).status).toBe('in_progress')
  // Not by another phone.
  expect((await hangUp(call_id, '12025550178')).status).toBe(404)
  const given = hangUp(call_id)
  await until(
    w,
    async () => voice.received.filter(({ kind }) => kind === 'hang_up'),
    (asked) => asked.length > 0,
  )
  expect(voice.received.at(-1)).toMatchObject({ kind: 'hang_up', reason: 'person_hung_up' })
  for (const plan of voice.open()) voice.end(plan, { reason: 'person_hung_up' })
  expect((await given).status).toBe(204)
  expect(await read(call?.call_id ?? '')).toMatchObject({ status: 'completed', end_reason: 'person_hung_up' })
})

test('declining in the window and hanging up at the phone are each reported once', async () => {
  const { w, id, place, read, hangUp, inWindow } = await scene()
  const { voice_call: declined } = await place()
  const said = await inWindow('POST', `${voiceOf(id)}/calls/${declined?.call_id ?? ''}/hang-up`)
  expect([said.status, said.body.status, said.body.end_reason]).toEqual([200, 'rejected', 'rejected'])
  const { call_id, voice_call: given } = await place()
  expect((await hangUp(call_id)).status).toBe(204)
  expect(await read(given?.call_id ?? '')).toMatchObject({ status: 'no_answer', end_reason: 'person_hung_up' })
  expect((await hangUp(call_id)).status).toBe(404)
  expect(await endings(w)).toEqual([])
})

test('an agent answers if the number is set to', async () => {
  const { w, id, place } = await scene()
  await w.api('PATCH', `${voiceOf(id)}/settings`, { receive_enabled: true, receive_agent_id: 'agent-1' })
  const { voice_call: call } = await place()
  expect(await ended(w, id, call?.call_id ?? '')).toMatchObject({
    ...{ direction: 'inbound', status: 'completed', end_reason: 'person_hung_up', agent_id: 'agent-1' },
  })
})

test('without voice, and with video, a call only rings, and the phone can still give up', async () => {
  const { w, place, hangUp } = await scene()
  expect((await place({ video: true })).voice_call).toBeNull()
  const { phone_number: to } = (await w.api('GET', `/v1/instances/${(await w.pair()).id}`)).body
  const { call_id, voice_call: call } = await place({ to })
  expect(call).toBeNull()
  expect((await hangUp(call_id)).status).toBe(204)
  expect((await hangUp(call_id)).status).toBe(404)
  expect(await w.rows('SELECT id FROM voice_calls')).toEqual([])
})
