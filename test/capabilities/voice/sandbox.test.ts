import { expect, test } from 'vitest'
import { testAgents } from '../../support/voice.ts'
import { worldOfTest } from '../../support/world.ts'
import { callingInstance, ended, until, voiceOf } from './calls.ts'

test('a sandbox call is made, recorded, transcribed and summarized', async () => {
  const w = await worldOfTest({ voiceAgents: testAgents() })
  const id = await callingInstance(w)
  await w.api('PATCH', `${voiceOf(id)}/settings`, { coach_enabled: true })
  const made = await w.api('POST', `${voiceOf(id)}/calls`, { to_number: '12025550123', agent_id: 'agent-1' })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ status: 'scheduled', gateway: 'sandbox', attempt: 0, source: 'api' })
  const call = await ended(w, id, made.body.id)
  expect(call).toMatchObject({ status: 'completed', end_reason: 'person_hung_up', attempt: 1 })
  const { recordings } = (await w.api('GET', `${voiceOf(id)}/recordings`)).body
  expect(recordings).toHaveLength(1)
  expect(recordings[0]).toMatchObject({
    id: call.recording_id,
    format: 'ogg',
    direction: 'outbound',
    has_audio: true,
    sandbox: true,
  })
  expect(recordings[0].duration_seconds).toBe(call.duration_seconds)
  const review = await until(
    w,
    async () => (await w.api('GET', `${voiceOf(id)}/calls/${call.id}/review`)).body,
    ({ summary }) => summary !== null,
  )
  expect(
    review.transcript.map(({ speaker, text }: { speaker: string; text: string }) => `${speaker}: ${text}`),
  ).toEqual([
    'agent: Hello, this is Ana. How can I help you?',
    'person: When are you open?',
    'agent: You asked: When are you open?',
    'person: Where are you?',
    'agent: You asked: Where are you?',
    'person: Thank you, that is all. Goodbye.',
    'agent: Goodbye.',
  ])
  expect(review.summary_by).toBe('extract')
  expect([review.coaching.length, review.coaching_by]).toEqual([3, 'extract'])
  expect(review.summary).toContain('“When are you open?” “Where are you?”')
})
