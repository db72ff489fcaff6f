import { expect, test } from 'vitest'
import { aiWorld, clockAt } from './ai-world.ts'

const bench = aiWorld()

const MINUTE = 60_000
const ON = {
  enabled: true,
  max_followups: 2,
  delays_minutes: [10, 30],
  quiet_hours: null,
  message: 'Ficou alguma dúvida?',
}

test('a person who does not answer gets follow-ups, at most max_followups times', async () => {
  const w = await bench.line()
  await w.ai('PATCH', 'follow-up', ON)
  await w.ask('qual o horário?')
  await w.jump(9 * MINUTE)
  expect(await w.heard()).toHaveLength(1)
  await w.jump(2 * MINUTE)
  expect((await w.heard()).at(-1)).toBe('Ficou alguma dúvida?')
  await w.jump(31 * MINUTE)
  expect(await w.heard()).toHaveLength(3)
  expect(await w.conversation()).toMatchObject({ follow_up: { sent: 2, due_at: null } })
  await w.jump(40 * MINUTE)
  expect(await w.heard()).toHaveLength(3)
})

test('an answer cancels the follow-up and starts again', async () => {
  const w = await bench.line()
  await w.ai('PATCH', 'follow-up', { ...ON, max_followups: 1 })
  await w.ask('qual o horário?')
  await w.jump(5 * MINUTE)
  await w.ask('onde fica a loja?')
  await w.jump(6 * MINUTE)
  expect(await w.heard()).toHaveLength(2)
  await w.jump(5 * MINUTE)
  expect(await w.heard()).toHaveLength(3)
})

test.each(['opt-out', 'pause'])('%s cancels it', async (how) => {
  const w = await bench.line()
  await w.ai('PATCH', 'follow-up', ON)
  await w.ask('qual o horário?')
  if (how === 'pause') await w.ai('POST', `conversations/${w.person}/pause`)
  else await w.w.api('POST', '/v1/opt-outs', { phone: w.person })
  await w.jump(15 * MINUTE)
  expect(await w.heard()).toHaveLength(1)
})

test('a follow-up due in quiet hours is sent at their end', async () => {
  const w = await bench.line({ settings: { timezone: 'UTC' } })
  const now = w.w.clock.now()
  const quiet = { start: clockAt(now + 5 * MINUTE), end: clockAt(now + 40 * MINUTE) }
  await w.ai('PATCH', 'follow-up', { ...ON, quiet_hours: quiet })
  await w.ask('qual o horário?')
  await w.jump(30 * MINUTE)
  expect(await w.heard()).toHaveLength(1)
  await w.jump(12 * MINUTE)
  expect(await w.heard()).toHaveLength(2)
})

test('official: outside of the 24-hour window only a template is sent', async () => {
  const w = await bench.line({ engine: 'official' })
  await w.ai('PATCH', 'follow-up', { ...ON, delays_minutes: [1_500], max_followups: 1 })
  await w.ask('qual o horário?')
  await w.jump(1_505 * MINUTE)
  expect(await w.heard()).toHaveLength(1)
  expect(await w.conversation()).toMatchObject({ follow_up: { due_at: null } })
})

test('no follow-up after a handoff', async () => {
  const w = await bench.line()
  await w.ai('PATCH', 'follow-up', ON)
  await w.ask('vocês fazem tatuagem de henna?')
  await w.jump(15 * MINUTE)
  expect(await w.heard()).toHaveLength(1)
})
