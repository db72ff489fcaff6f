import { expect, test } from 'vitest'
import { aiWorld, PERSON } from './ai-world.ts'

test('a question of the FAQ is answered after the debounce, with its source', async () => {
  const w = await aiWorld()
  expect(await w.ask('qual o horario de vcs?')).toEqual(['Abrimos de segunda a sexta, das 8h às 18h.'])
  expect(await w.conversation()).toMatchObject({ ai_active: true, answered_by: 'agent', handoff: null })
  const [turn] = await w.turns()
  expect(turn).toMatchObject({ state: 'answered', source: 'faq', question: 'qual o horario de vcs?' })
  const sent = (await w.events()).filter(({ type }) => type === 'message.sent').at(-1)
  expect(sent?.data).toMatchObject({ source: 'ai', to: PERSON })
  expect(sent?.data['idempotency_key']).toMatch(/^ai:cnv_[0-9A-Z]{26}:1$/)
})
