import { expect, test } from 'vitest'
import type { Statement } from '../../../main/kernel/sql.ts'
import { settle } from '../../support/clock.ts'
import { scriptedVoice, type ScriptedVoice } from '../../support/scripted-voice.ts'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest, type World } from '../../support/world.ts'
import { callingInstance, until, voiceOf } from './calls.ts'

const SET_USED: Statement<{ calls: number }> = { text: 'UPDATE voice_instances SET trial_used = :calls' }

async function scene(voice: ScriptedVoice) {
  const w = await worldOfTest({ voiceAgents: testAgents(), startVoice: voice.start })
  const id = await callingInstance(w)
  const use = (calls: number) => w.service.db.commit((tx) => tx.run(SET_USED, { calls }))
  return {
    w,
    id,
    use,
    status: async () => (await w.api('GET', voiceOf(id))).body,
    calls: () => w.rows<any>('SELECT status, end_reason AS reason FROM voice_calls ORDER BY seq'),
    dial: (to_number: string) => w.api('POST', `${voiceOf(id)}/calls`, { to_number, agent_id: 'agent-1' }),
  }
}

const placed = (w: World, voice: ScriptedVoice, count: number) =>
  until(
    w,
    async () => voice.plans.length,
    (plans) => plans >= count,
    200,
  )

const NUMBERS = ['12025550101', '12025550102', '12025550103', '12025550104']

test('a call of the trial is counted when it is answered, not while it rings', async () => {
  const voice = scriptedVoice()
  const { w, dial, status, calls } = await scene(voice)
  await dial('12025550101')
  await placed(w, voice, 1)
  const [plan] = voice.plans
  if (plan === undefined) throw new Error('Nothing was placed.')
  voice.say({ kind: 'state', callId: plan.callId, state: 'ringing' })
  await settle()
  expect((await status()).remaining).toBe(50)
  voice.answer(plan)
  await until(w, status, ({ remaining }) => remaining === 49, 100)
  voice.answer(plan)
  voice.end(plan, { reason: 'person_hung_up', talkedMs: 3_000 })
  await until(w, calls, ([call]) => call.status === 'completed', 100)
  expect((await status()).remaining).toBe(49)
})

test.each([
  ['busy', 'busy'],
  ['no_media_connection', 'failed'],
] as const)(
  'a call that ends with %s gives its call of the trial back, and is not in the usage',
  async (reason, as) => {
    const voice = scriptedVoice((it, plan) => it.end(plan, { reason }))
    const { w, dial, status, calls } = await scene(voice)
    await dial('12025550101')
    await until(w, calls, ([call]) => call.status === as, 200)
    expect(await status()).toMatchObject({ remaining: 50, active_calls: 0 })
    expect(await w.rows('SELECT calls FROM usage_daily WHERE calls > 0')).toEqual([])
  },
)

test('no more calls ring at once than the trial has left', async () => {
  const voice = scriptedVoice()
  const { w, id, use, status, calls } = await scene(voice)
  await use(48)
  await w.api('POST', `${voiceOf(id)}/calls/batch`, { numbers: NUMBERS, agent_id: 'agent-1', interval_seconds: 0 })
  await placed(w, voice, 2)
  await w.pass(20_000)
  expect(voice.plans).toHaveLength(2)

  // One is not answered: the next may try. The other is.
  const [first, second] = voice.plans
  voice.end(first!, { reason: 'no_answer' })
  voice.answer(second!)
  await placed(w, voice, 3)
  await w.pass(20_000)
  expect(voice.plans).toHaveLength(3)
  voice.answer(voice.plans[2]!)
  const ended = await until(w, calls, (all) => all.some(({ reason }) => reason === 'trial_used_up'), 500)
  expect(ended.map(({ status: is, reason }) => reason ?? is)).toEqual([
    'no_answer',
    'in_progress',
    'in_progress',
    'trial_used_up',
  ])
  expect((await status()).remaining).toBe(0)
})

test('calls that start at the same moment use no more channels than exist', async () => {
  const voice = scriptedVoice()
  const { w, id } = await scene(voice)
  const numbers = Array.from({ length: 12 }, (_, i) => String(12_025_550_200 + i))
  await w.api('POST', `${voiceOf(id)}/calls/batch`, { numbers, agent_id: 'agent-1', interval_seconds: 0 })
  await placed(w, voice, 4)
  await w.pass(20_000)
  expect(voice.open()).toHaveLength(4)
})

test('the calls of a crashed process do not use up the trial', async () => {
  const voice = scriptedVoice()
  const { w, dial, status, calls } = await scene(voice)
  await dial('12025550101')
  await placed(w, voice, 1)
  voice.crash()
  await until(w, calls, ([call]) => call.status === 'failed', 200)
  expect(await calls()).toEqual([{ status: 'failed', reason: 'app_crashed' }])
  expect(await status()).toMatchObject({ remaining: 50, active_calls: 0 })
})
