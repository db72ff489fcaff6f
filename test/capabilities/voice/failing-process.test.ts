import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { scriptedVoice } from '../../support/scripted-voice.ts'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest } from '../../support/world.ts'
import { callingInstance, until, voiceOf } from './calls.ts'

test('a voice process that keeps ending fails its calls, and the window and /healthz report it', async () => {
  const voice = scriptedVoice((scripted) => scripted.crash('signal SIGKILL'))
  const w = await worldOfTest({ voiceAgents: testAgents(), startVoice: voice.start })
  const id = await callingInstance(w)
  const call = async () => {
    const made = await w.api('POST', `${voiceOf(id)}/calls`, { to_number: '12025550123', agent_id: 'agent-1' })
    const current = async () => (await w.api('GET', `${voiceOf(id)}/calls/${made.body.id}`)).body
    return until(w, current, ({ status }) => status === 'failed', 200)
  }
  const health = async () => (await w.api('GET', '/healthz')).body

  await call()
  expect((await call()).end_reason).toBe('app_crashed')
  expect(await health()).toEqual({ status: 'ok', problems: [] })
  await call()

  expect(await health()).toEqual({ status: 'degraded', problems: ['calls_failing'] })
  expect((await asConsole(w)('GET', '/v1/service')).body.notices).toContainEqual({
    code: 'calls_failing',
    text: expect.stringMatching(/ended 3 times in a row \(signal SIGKILL\).* then restart Switchboard\.$/),
    fault: true,
  })
})
