import { expect, test } from 'vitest'
import { scriptedVoice, type ScriptedVoice } from '../../support/scripted-voice.ts'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest } from '../../support/world.ts'
import { callingInstance, ended, until, voiceOf } from './calls.ts'

const PHONE = '12025550123'
const OTHER = '12025550124'

async function scene(settings: object = { calls: 'manual' }, voice?: ScriptedVoice) {
  const w = await worldOfTest({ voiceAgents: testAgents(), ...(voice && { startVoice: voice.start }) })
  const id = await callingInstance(w)
  await w.api('PATCH', `/v1/sandbox/phones/${PHONE}`, settings)
  const made = await w.api('POST', `${voiceOf(id)}/calls`, { to_number: PHONE, agent_id: 'agent-1' })
  expect(made.status, made.text).toBe(201)
  const callId: string = made.body.id
  const at = (number = PHONE) => `/v1/sandbox/phones/${number}/calls`
  const shown = async (number = PHONE) => (await w.api('GET', at(number))).body.data
  const act = (what: 'answer' | 'hang-up', number = PHONE) => w.api('POST', `${at(number)}/${callId}/${what}`)
  const read = async () => (await w.api('GET', `${voiceOf(id)}/calls/${callId}`)).body
  const rings = () => until(w, shown, (calls) => calls.length > 0, 100)
  return { w, id, callId, shown, act, read, rings }
}

test('a phone whose calls are answered by hand rings until somebody answers, talks and hangs up', async () => {
  const { w, id, callId, shown, act, read, rings } = await scene()
  const [call] = await rings()
  expect(call).toMatchObject({ call_id: callId, instance_id: id, status: 'ringing' })
  expect(call.from).toBe((await w.api('GET', `/v1/instances/${id}`)).body.phone_number)
  expect(await shown(OTHER)).toEqual([])
  await w.clock.advance(20_000)
  expect((await read()).status).toBe('ringing')
  expect((await act('answer')).status).toBe(204)
  await until(w, read, ({ status }) => status === 'in_progress', 100)
  expect(await shown()).toMatchObject([{ call_id: callId, status: 'in_progress' }])
  // Twice changes nothing.
  expect((await act('answer')).status).toBe(204)
  expect(await ended(w, id, callId)).toMatchObject({ status: 'completed', end_reason: 'person_hung_up' })
  expect(await shown()).toEqual([])
  for (const what of ['answer', 'hang-up'] as const) expect((await act(what)).status).toBe(404)
})

test('somebody at the phone hangs up a call that was answered', async () => {
  const voice = scriptedVoice((each, { callId }) => {
    each.say({ kind: 'state', callId, state: 'ringing' })
    each.say({ kind: 'state', callId, state: 'in_progress' })
  })
  const { w, shown, act, read } = await scene({}, voice)
  await until(w, shown, ([call]) => call?.status === 'in_progress', 100)
  const given = act('hang-up')
  await until(
    w,
    async () => voice.received.filter(({ kind }) => kind === 'hang_up'),
    (asked) => asked.length > 0,
  )
  expect(voice.received.at(-1)).toMatchObject({ kind: 'hang_up', reason: 'person_hung_up' })
  for (const plan of voice.open()) voice.end(plan, { reason: 'person_hung_up' })
  expect((await given).status).toBe(204)
  expect(await read()).toMatchObject({ status: 'completed', end_reason: 'person_hung_up' })
})

test('somebody at the phone declines', async () => {
  const { act, read, rings } = await scene()
  await rings()
  expect((await act('answer', OTHER)).status).toBe(404)
  expect((await act('hang-up', OTHER)).status).toBe(404)
  expect((await act('hang-up')).status).toBe(204)
  expect(await read()).toMatchObject({ status: 'rejected', end_reason: 'rejected', answered_at: null })
})

test('nobody answers at the phone', async () => {
  const { w, id, callId, rings } = await scene()
  await rings()
  expect(await ended(w, id, callId)).toMatchObject({ status: 'no_answer', end_reason: 'no_answer', answered_at: null })
})

test('a phone answers automatically unless it is set to be answered by hand, and a person may be faster', async () => {
  const { w, id, callId, act, rings } = await scene({})
  expect((await w.api('GET', '/v1/sandbox/phones')).body.data).toMatchObject([
    { number: PHONE, calls: 'automatic' },
    { calls: 'automatic' },
  ])
  await rings()
  expect((await act('answer')).status).toBe(204)
  expect(await ended(w, id, callId)).toMatchObject({ status: 'completed', end_reason: 'person_hung_up' })
})
