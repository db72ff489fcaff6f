import { expect, test } from 'vitest'
import type { EndReason } from '../../../main/contract/voice.ts'
import { asConsole } from '../../support/console.ts'
import { scriptedVoice, type ScriptedVoice } from '../../support/scripted-voice.ts'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest } from '../../support/world.ts'
import { callingInstance, until, voiceOf } from './calls.ts'
import { OFFER } from './offers.ts'

const TO = '12025550123'

async function scene(voice: ScriptedVoice) {
  const w = await worldOfTest({ voiceAgents: testAgents(), startVoice: voice.start })
  const id = await callingInstance(w)
  return { w, id, ask: asConsole(w) }
}

test('a person cannot call with a garbage offer, and nothing is dialed', async () => {
  const voice = scriptedVoice(() => {})
  const { w, id, ask } = await scene(voice)
  for (const offer of ['v=0', 'x'.repeat(200), OFFER.replace('m=audio 9', 'm=audio 0')]) {
    const refused = await ask('POST', `${voiceOf(id)}/softphone`, { to_number: TO, offer })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
  }
  expect([voice.plans, await w.rows('SELECT id FROM voice_calls')]).toEqual([[], []])
})

test.each(['codec_not_supported', 'no_media_connection'] as const satisfies EndReason[])(
  'an offer that the voice process cannot answer is an error of the request: %s',
  async (reason) => {
    const media = { framesIn: 0, framesLost: 0, underruns: 0 }
    const { id, ask } = await scene(
      scriptedVoice((voice, { callId }) =>
        voice.say({ kind: 'ended', callId, end: { reason, talkedMs: null, recording: null, media } }),
      ),
    )
    const refused = await ask('POST', `${voiceOf(id)}/softphone`, { to_number: TO, offer: OFFER })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
    expect(refused.body.error.message).toContain('could not be answered')
  },
)

test('nobody can listen to a call with a garbage offer', async () => {
  const voice = scriptedVoice((each, { callId }) => each.say({ kind: 'state', callId, state: 'in_progress' }))
  const { w, id, ask } = await scene(voice)
  const made = await w.api('POST', `${voiceOf(id)}/calls`, { to_number: TO, agent_id: 'agent-1' })
  await until(
    w,
    async () => (await w.api('GET', `${voiceOf(id)}/calls/${made.body.id}`)).body.status,
    (status) => status === 'in_progress',
  )
  const refused = await ask('POST', `${voiceOf(id)}/calls/${made.body.id}/listen`, { offer: 'v=0' })
  expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
})
