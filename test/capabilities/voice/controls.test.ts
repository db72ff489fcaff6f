import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../../main/kernel/log.ts'
import { sql } from '../../../main/kernel/sql.ts'
import type { CallPlan, ControlResult, ToVoice } from '../../../main/voice/protocol.ts'
import { asConsole } from '../../support/console.ts'
import { scriptedVoice } from '../../support/scripted-voice.ts'
import { callingNumber, type CallingNumber } from '../../voice/cloud-world.ts'
import { until } from '../../voice/sip-calls.ts'

/** Hold, keys and transfers of a running call, as users of the API see them. The trunk itself is in test/voice/. */

const PERSON = '12025550161'
const DESK = '12025550177'
const TRUNK = { host: '127.0.0.1', port: 5060, transport: 'tcp', username: '1001', password: 'right' }

type Asked = ToVoice & { kind: 'control' }

const voice = scriptedVoice((it, { callId, consoleOffer }) => {
  if (consoleOffer !== null) it.say({ kind: 'console_answer', callId, sdp: 'v=0' })
})
let made: CallingNumber
beforeAll(async () => {
  made = await callingNumber(silentLog, { startVoice: voice.start })
  await asConsole(made.w)('PUT', `/v1/instances/${made.id}/voice/trunk`, TRUNK)
})
afterAll(() => made.w.close())

const api = (method: string, path: string, body?: object) =>
  made.w.api(method, `/v1/instances/${made.id}/voice/calls${path}`, body)
const read = async (id: string) => (await api('GET', `/${id}`)).body

/** A call that was answered. */
async function running(): Promise<CallPlan> {
  const { body } = await api('POST', '', { to_number: PERSON, agent_id: 'agent-1' })
  await until(() => voice.open().some(({ callId }) => callId === body.id), 'The call')
  const plan = voice.open().find(({ callId }) => callId === body.id) as CallPlan
  voice.answer(plan)
  await until(async () => (await read(body.id)).status === 'in_progress', 'The answer')
  return plan
}

/** What the voice process is asked for next, and how to answer it. */
async function asked(callId: string) {
  const isOpen = (message: ToVoice): message is Asked =>
    message.kind === 'control' && message.callId === callId && !answered.has(message.requestId)
  await until(() => voice.received.some(isOpen), 'The request')
  const request = voice.received.find(isOpen) as Asked
  answered.add(request.requestId)
  return {
    control: request.control,
    answer: (result: ControlResult) => voice.say({ kind: 'controlled', requestId: request.requestId, result }),
  }
}
const answered = new Set<number>()
const OK: ControlResult = { ok: true }

describe('hold', () => {
  test('shows since when the person waits, and nothing once the call is resumed or over', async () => {
    const plan = await running()
    const { callId } = plan
    const holding = api('POST', `/${callId}/hold`)
    const hold = await asked(callId)
    expect(hold.control).toEqual({ kind: 'hold', isHeld: true })
    voice.say({ kind: 'held', callId, isHeld: true })
    hold.answer(OK)
    const held = await holding
    expect(held.status).toBe(200)
    expect(held.body).toMatchObject({ status: 'in_progress', held_at: expect.any(String) })
    expect(Math.abs(Date.parse(held.body.held_at) - made.w.clock.now())).toBeLessThan(5_000)

    const resuming = api('POST', `/${callId}/resume`)
    const resume = await asked(callId)
    expect(resume.control).toEqual({ kind: 'hold', isHeld: false })
    voice.say({ kind: 'held', callId, isHeld: false })
    resume.answer(OK)
    expect((await resuming).body).toMatchObject({ status: 'in_progress', held_at: null })

    voice.say({ kind: 'held', callId, isHeld: true })
    await until(async () => (await read(callId)).held_at !== null, 'The hold')
    voice.end(plan, { reason: 'person_hung_up', talkedMs: 1_000 })
    await until(async () => (await read(callId)).status === 'completed', 'The end')
    expect((await read(callId)).held_at).toBeNull()
  })

  test('ends with the voice process, and a pending transfer becomes unknown', async () => {
    const { callId } = await running()
    voice.say({ kind: 'held', callId, isHeld: true })
    const transferring = api('POST', `/${callId}/transfer`, { to_number: DESK })
    ;(await asked(callId)).answer(OK)
    expect((await transferring).body.transfer.status).toBe('pending')
    voice.crash()
    await until(async () => (await read(callId)).status === 'failed', 'The end')
    expect(await read(callId)).toMatchObject({
      ...{ end_reason: 'app_crashed', held_at: null },
      transfer: { to_number: DESK, status: 'unknown', failure: null },
    })
  })
})

describe('a refusal by the trunk', () => {
  test.each<[ControlResult, number, string, string]>([
    [{ ok: false, why: 'refused', status: 488 }, 409, 'invalid_state', 'status 488'],
    [{ ok: false, why: 'busy' }, 409, 'invalid_state', 'few seconds'],
    [{ ok: false, why: 'no_answer' }, 504, 'upstream_timeout', '10 seconds'],
    [{ ok: false, why: 'not_connected' }, 502, 'upstream_unavailable', 'connection'],
    [{ ok: false, why: 'not_running' }, 409, 'invalid_state', 'ended'],
  ])('of the kind %j is answered with %i %s, and the record stays unchanged', async (result, status, code, words) => {
    const plan = await running()
    const { callId } = plan
    const holding = api('POST', `/${callId}/hold`)
    ;(await asked(callId)).answer(result)
    const refused = await holding
    expect([refused.status, refused.body.error.code]).toEqual([status, code])
    expect(refused.body.error.message).toContain(words)
    expect(await read(callId)).toMatchObject({ status: 'in_progress', held_at: null })
    voice.end(plan, { reason: 'person_hung_up', talkedMs: 1 })
  })
})

describe('keys', () => {
  test('are forwarded, and answered once they were sent', async () => {
    const plan = await running()
    const pressing = api('POST', `/${plan.callId}/digits`, { digits: '12#*D' })
    const press = await asked(plan.callId)
    expect(press.control).toEqual({ kind: 'press', digits: '12#*D' })
    press.answer(OK)
    expect((await pressing).status).toBe(200)
    for (const [why, words] of [
      ['no_digits', 'takes no keys'],
      ['on_hold', 'on hold'],
    ] as const) {
      const refused = api('POST', `/${plan.callId}/digits`, { digits: '1' })
      ;(await asked(plan.callId)).answer({ ok: false, why })
      expect((await refused).body.error.message).toContain(words)
    }
    voice.end(plan, { reason: 'person_hung_up', talkedMs: 1 })
  })

  test.each(['', '1'.repeat(33), 'x', '1 2', 'a', '+', '１'])('%j are invalid, and nothing is sent', async (digits) => {
    const plan = await running()
    const refused = await api('POST', `/${plan.callId}/digits`, { digits })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
    expect(voice.received.some((one) => one.kind === 'control' && one.callId === plan.callId)).toBe(false)
    voice.end(plan, { reason: 'person_hung_up', talkedMs: 1 })
  })
})

describe('a transfer', () => {
  test('is pending until it is complete, and then the call is over', async () => {
    const plan = await running()
    const { callId } = plan
    const transferring = api('POST', `/${callId}/transfer`, { to_number: DESK })
    const transfer = await asked(callId)
    expect(transfer.control).toEqual({ kind: 'transfer', number: DESK })
    // Known before the trunk has answered.
    expect((await read(callId)).transfer).toMatchObject({ to_number: DESK, status: 'pending', failure: null })
    const second = await api('POST', `/${callId}/transfer`, { to_number: DESK })
    expect([second.status, second.body.error.code]).toEqual([409, 'invalid_state'])
    transfer.answer(OK)
    expect((await transferring).body).toMatchObject({ status: 'in_progress', transfer: { status: 'pending' } })
    voice.end(plan, { reason: 'transferred', talkedMs: 5_000 })
    await until(async () => (await read(callId)).status === 'completed', 'The end')
    expect(await read(callId)).toMatchObject({
      ...{ end_reason: 'transferred', duration_seconds: 5 },
      transfer: { to_number: DESK, status: 'completed', failure: null },
    })
  })

  test('that fails leaves the call running and says why, and the next one may start', async () => {
    const plan = await running()
    const { callId } = plan
    for (const [failure, status] of [
      ['busy', 'failed'],
      ['timed_out', 'failed'],
      [null, 'unknown'],
    ] as const) {
      const transferring = api('POST', `/${callId}/transfer`, { to_number: DESK })
      ;(await asked(callId)).answer(OK)
      await transferring
      voice.say({ kind: 'not_transferred', callId, failure })
      await until(async () => (await read(callId)).transfer.status !== 'pending', 'The end of the transfer')
      expect(await read(callId)).toMatchObject({ status: 'in_progress', transfer: { status, failure } })
    }
    voice.end(plan, { reason: 'operator_hung_up', talkedMs: 1 })
    await until(async () => (await read(callId)).status === 'completed', 'The end')
    expect((await read(callId)).transfer.status).toBe('unknown')
  })

  test('that the trunk refuses has failed; without its answer, it continues', async () => {
    const plan = await running()
    const { callId } = plan
    const refused = api('POST', `/${callId}/transfer`, { to_number: DESK })
    ;(await asked(callId)).answer({ ok: false, why: 'refused', status: 501 })
    expect((await refused).body.error.message).toContain('status 501')
    expect((await read(callId)).transfer).toMatchObject({ status: 'failed', failure: 'refused' })
    const silent = api('POST', `/${callId}/transfer`, { to_number: DESK })
    ;(await asked(callId)).answer({ ok: false, why: 'no_answer' })
    expect((await silent).status).toBe(504)
    expect((await read(callId)).transfer).toMatchObject({ status: 'pending', failure: null })
    voice.end(plan, { reason: 'person_hung_up', talkedMs: 1 })
    await until(async () => (await read(callId)).transfer.status === 'unknown', 'The end')
  })

  test.each(['', '12', '+12025550177', 'sip:x@y', '12025550177@evil.example'])(
    'to %j is refused',
    async (to_number) => {
      const plan = await running()
      const refused = await api('POST', `/${plan.callId}/transfer`, { to_number })
      expect(refused.status).toBe(400)
      expect((await read(plan.callId)).transfer).toBeNull()
      voice.end(plan, { reason: 'person_hung_up', talkedMs: 1 })
    },
  )
})

describe('a call without controls', () => {
  const ACTS = [
    ['/hold', undefined],
    ['/resume', undefined],
    ['/digits', { digits: '1' }],
    ['/transfer', { to_number: DESK }],
  ] as const

  test.each(ACTS)('because it is over or ringing: %s', async (path, body) => {
    const { body: ringing } = await api('POST', '', { to_number: PERSON, agent_id: 'agent-1' })
    await until(() => voice.open().some(({ callId }) => callId === ringing.id), 'The call')
    const early = await api('POST', `/${ringing.id}${path}`, body)
    expect([early.status, early.body.error.code]).toEqual([409, 'invalid_state'])
    const plan = voice.open().find(({ callId }) => callId === ringing.id) as CallPlan
    voice.end(plan, { reason: 'busy' })
    await until(async () => (await read(ringing.id)).status === 'busy', 'The end')
    expect((await api('POST', `/${ringing.id}${path}`, body)).body.error.code).toBe('invalid_state')
    expect((await api('POST', `/0197f0c2-7b3e-7c51-9d2b-5f8e1a7c4b99${path}`, body)).status).toBe(404)
  })

  test.each([
    ['sandbox', 'Simulated calls'],
    ['cloud', 'WhatsApp calls'],
    ['widget', 'Calls from a web page'],
  ] as const)('because it travels another way: %s', async (gateway, words) => {
    const plan = await running()
    await made.w.service.db.commit((tx) => tx.run(travelsBy, { id: plan.callId, gateway }))
    for (const [path, body] of ACTS) {
      const refused = await api('POST', `/${plan.callId}${path}`, body)
      expect([refused.status, refused.body.error.code]).toEqual([409, 'invalid_state'])
      expect(refused.body.error.message).toContain(words)
    }
    expect(voice.received.some((one) => one.kind === 'control' && one.callId === plan.callId)).toBe(false)
    expect((await read(plan.callId)).transfer).toBeNull()
    voice.end(plan, { reason: 'person_hung_up', talkedMs: 1 })
  })
})

const travelsBy = sql<{ id: string; gateway: string }>('UPDATE voice_calls SET gateway = :gateway WHERE id = :id')
