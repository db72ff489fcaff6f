import { expect, onTestFinished, test } from 'vitest'
import { StorageError } from '../../../main/kernel/db.ts'
import type { Statement } from '../../../main/kernel/sql.ts'
import { settle } from '../../support/clock.ts'
import { scriptedVoice, type ScriptedVoice } from '../../support/scripted-voice.ts'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest, type World, type WorldOptions } from '../../support/world.ts'
import { callingInstance, until, voiceOf } from './calls.ts'

const TALKED = { reason: 'person_hung_up', talkedMs: 5_000 } as const

async function callUnderWay(voice: ScriptedVoice, options: WorldOptions = {}) {
  const w = await worldOfTest({ voiceAgents: testAgents(), startVoice: voice.start, ...options })
  const id = await callingInstance(w)
  const made = await w.api('POST', `${voiceOf(id)}/calls`, { to_number: '12025550123', agent_id: 'agent-1' })
  await until(
    w,
    async () => voice.plans.length,
    (plans) => plans > 0,
    200,
  )
  const [plan] = voice.plans
  if (plan === undefined) throw new Error('Nothing was placed.')
  const path = `${voiceOf(id)}/calls/${made.body.id}`
  return { w, id, plan, path, call: async () => (await w.api('GET', path)).body }
}

/** Nothing can be written until it is given back. */
function fillDisk({ service }: World): () => void {
  const db = service.db as { commit: World['service']['db']['commit'] }
  const { commit } = db
  const freed = () => void (db.commit = commit)
  db.commit = () => Promise.reject(new StorageError('full', 'The disk is full'))
  onTestFinished(freed)
  return freed
}

test('D-13 an end that cannot be stored is stored once there is space again, with its reason, without a restart', async () => {
  const voice = scriptedVoice()
  const { w, id, plan, call } = await callUnderWay(voice)
  const free = fillDisk(w)
  // The answer and the line are not written either.
  voice.answer(plan)
  voice.say({ kind: 'line', callId: plan.callId, line: { speaker: 'agent', start_ms: 0, end_ms: 900, text: 'Hello' } })
  const answeredAt = new Date(w.clock.now()).toISOString()
  voice.end(plan, TALKED)
  await w.pass(120_000)
  expect((await call()).status).toBe('dialing')
  free()
  const ended = await until(w, call, ({ status }) => status === 'completed')
  expect(ended).toMatchObject({ end_reason: 'person_hung_up', answered_at: answeredAt, duration_seconds: 5 })
  expect((await w.api('GET', `${voiceOf(id)}/calls/${plan.callId}/review`)).body.transcript).toMatchObject([
    { text: 'Hello' },
  ])
  expect((await w.api('GET', voiceOf(id))).body).toMatchObject({ remaining: 49, active_calls: 0 })
})

test('the end of a call whose voice process crashed meanwhile is stored too', async () => {
  const voice = scriptedVoice()
  const { w, plan, call } = await callUnderWay(voice)
  voice.answer(plan)
  await until(w, call, ({ status }) => status === 'in_progress', 100)
  const free = fillDisk(w)
  voice.crash()
  await w.pass(120_000)
  expect((await call()).status).toBe('in_progress')
  free()
  expect(await until(w, call, ({ status }) => status === 'failed')).toMatchObject({ end_reason: 'app_crashed' })
})

test('a call that the voice process does not end is given up, with the reason of its hangup', async () => {
  const voice = scriptedVoice()
  const { w, plan, call, path } = await callUnderWay(voice)
  voice.answer(plan)
  await until(w, call, ({ status }) => status === 'in_progress', 100)
  const canceling = w.api('POST', `${path}/cancel`)
  await settle()
  await w.clock.advance(11_000)
  expect((await canceling).body).toMatchObject({ status: 'canceled', end_reason: 'canceled' })
})

test('D-13 a call without an owner is ended while the service runs', async () => {
  const voice = scriptedVoice((it, one) => it.end(one, { reason: 'busy' }))
  const { w, id, call } = await callUnderWay(voice)
  const { id: callId } = await until(w, call, ({ status }) => status === 'busy', 200)
  // As if its beginning was written, and placing it had failed.
  const reopen: Statement<{ callId: string }> = {
    text: `UPDATE voice_calls SET status = 'dialing', end_reason = NULL, ended_at = NULL WHERE id = :callId`,
  }
  await w.service.db.commit((tx) => tx.run(reopen, { callId }))
  expect((await w.api('GET', voiceOf(id))).body.active_calls).toBe(1)
  await w.pass(61_000)
  // The first look may come while its end is still being written.
  const ended = await until(w, call, ({ status }) => status !== 'dialing', 120)
  expect(ended).toMatchObject({ status: 'failed', end_reason: 'app_crashed' })
})

test('a stop says goodbye first, and hangs up what has not ended then', async () => {
  const voice = scriptedVoice()
  const { w, plan } = await callUnderWay(voice, { soundAtEnd: false })
  voice.answer(plan)
  await settle()
  const stopping = w.service.close()
  await until(
    w,
    async () => voice.received.map(({ kind }) => kind),
    (kinds) => kinds.includes('say_goodbye'),
    1,
  )
  expect(voice.received.map(({ kind }) => kind)).not.toContain('hang_up')
  voice.end(plan, { reason: 'app_closed', talkedMs: 2_000 })
  await stopping
  expect(voice.received.map(({ kind }) => kind)).not.toContain('hang_up')
})
