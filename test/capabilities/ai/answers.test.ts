import { expect, test } from 'vitest'
import { isCourtesy } from '../../../main/capabilities/ai/texts.ts'
import { aiWorld, clockAt, HOURS } from './ai-world.ts'

const bench = aiWorld()

test('a question of the FAQ is answered after the debounce, with its source', async () => {
  const w = await bench.line()
  expect(await w.ask('qual o horario de vcs?')).toEqual([HOURS])
  expect(await w.conversation()).toMatchObject({ ai_active: true, answered_by: 'agent', handoff: null })
  const [turn] = await w.turns()
  expect(turn).toMatchObject({ state: 'answered', source: 'faq', question: 'qual o horario de vcs?' })
  const sent = (await w.w.events()).filter(({ type }) => type === 'message.sent').at(-1)
  expect(sent?.data).toMatchObject({ source: 'ai', to: w.person })
  expect(sent?.data['idempotency_key']).toMatch(/^ai:cnv_[0-9A-Z]{26}:1$/)
})

test('a burst of messages gets one answer, and none before it ends', async () => {
  const w = await bench.line()
  await w.write('oi')
  await w.w.pass(4_000)
  await w.write('tudo bem?')
  await w.w.pass(4_000)
  await w.write('qual o horário de funcionamento?')
  await w.w.pass(4_000)
  expect(await w.heard()).toEqual([])
  await w.w.pass(3_000)
  expect(await w.heard()).toEqual([HOURS])
  expect(await w.turns()).toHaveLength(1)
})

test('a question without an answer gets one polite sentence in its language, and the chat waits for a person', async () => {
  const w = await bench.line()
  const [line, ...more] = await w.ask('Do you repair bicycles with carbon frames?')
  expect(line).toContain('a person on our team')
  expect(more).toEqual([])
  expect(await w.conversation()).toMatchObject({
    ai_active: false,
    pause_reason: 'handoff',
    handoff: { reason: 'no_answer', waiting: true },
  })
  const unanswered = await w.w.rows('SELECT question, times, status FROM ai_unanswered WHERE instance_id = :id', {
    id: w.instanceId,
  })
  expect(unanswered).toEqual([{ question: 'Do you repair bicycles with carbon frames?', times: 1, status: 'open' }])
  // The agent keeps silent, also to a question it could answer.
  expect(await w.ask('qual o horário?')).toEqual([])
})

test('after the pause the agent answers again', async () => {
  const w = await bench.line({ settings: { pause_on_human_minutes: 1 } })
  await w.ask('Do you repair bicycles with carbon frames?')
  await w.jump(60_000)
  expect(await w.ask('qual o horário?')).toEqual([HOURS])
  expect(await w.conversation()).toMatchObject({ ai_active: true, paused_until: null })
})

test('a greeting gets a greeting, and thanks need no answer', async () => {
  const w = await bench.line()
  expect(await w.ask('Oi, bom dia')).toEqual(['Olá! Como posso ajudar?'])
  expect(await w.ask('ok obrigado!')).toEqual([])
  expect(await w.conversation()).toMatchObject({ ai_active: true })
})

test.each([
  ...['Tchau, até amanhã!', 'Obrigada, um ótimo fim de semana', 'Valeu, até logo'],
  ...['Gracias, hasta luego', 'Adiós, que tenga un buen día', 'nos vemos'],
  ...['Bye, see you tomorrow', 'Thanks, have a nice day!', 'Goodbye, take care'],
])('a farewell needs no answer and no person: %s', (farewell) => {
  expect(isCourtesy(farewell)).toBe(true)
})

test.each(['amanhã', 'See you tomorrow?', 'tomorrow', 'I have a broken one', 'um bom dia de entrega', 'good'])(
  'a possible request is not taken for a farewell: %s',
  (text) => {
    expect(isCourtesy(text)).toBe(false)
  },
)

test('a keyword hands over with the operator’s sentence, whatever the accents', async () => {
  const w = await bench.line({
    settings: { handoff: { keywords: ['falar com atendênte'], message: 'Um momento, por favor.' } },
  })
  expect(await w.ask('quero FALAR COM ATENDENTE, qual o horário?')).toEqual(['Um momento, por favor.'])
  expect(await w.conversation()).toMatchObject({ ai_active: false, handoff: { reason: 'keyword' } })
})

test('trying an agent hands over at a keyword, as in a chat, with the same sentence', async () => {
  const w = await bench.line({ settings: { handoff: { keywords: ['atendente'], message: 'Um momento, por favor.' } } })
  expect(await w.ai('POST', 'test', { message: 'quero um ATENDENTE' })).toMatchObject({
    reply: 'Um momento, por favor.',
    handoff: { reason: 'keyword', detail: null },
    usage: { input_tokens: 0, output_tokens: 0 },
  })
  expect(await w.heard(), 'nothing is sent').toEqual([])
})

test('trying an agent shows the message for an unknown answer', async () => {
  const w = await bench.line({ settings: { handoff: { keywords: [], message: 'Já chamo alguém.' } } })
  const { reply, handoff } = await w.ai('POST', 'test', { message: 'Do you repair bicycles with carbon frames?' })
  expect(handoff).toMatchObject({ reason: 'no_answer' })
  expect([reply]).toEqual(await w.ask('Do you repair bicycles with carbon frames?'))
})

test('a keyword inside another word does not count', async () => {
  const w = await bench.line({ settings: { handoff: { keywords: ['rua'], message: 'Um momento.' } } })
  expect(await w.ask('qual o horário na ruada?')).not.toContain('Um momento.')
})

test('a voice message is handed over to a person', async () => {
  const w = await bench.line()
  await w.w.api('POST', `/v1/sandbox/phones/${w.person}/messages`, {
    to: w.number,
    media_url: 'https://media.sandbox/audio.ogg',
    media_type: 'audio',
  })
  await w.w.pass(8_000)
  expect(await w.conversation()).toMatchObject({ handoff: { reason: 'unreadable_message' }, ai_active: false })
})

test('nothing is answered while AI is off, or without an agent', async () => {
  const w = await bench.line({ agent: null })
  expect(await w.ask('qual o horário?')).toEqual([])
  await w.ai('POST', 'agents', { name: 'A', provider: 'builtin' })
  await w.ai('PATCH', 'settings', { enabled: false })
  expect(await w.ask('qual o horário?')).toEqual([])
  await w.ai('PATCH', 'settings', { enabled: true })
  expect(await w.ask('qual o horário?')).toEqual([HOURS])
})

test('a message outside of business hours is answered when they begin', async () => {
  const w = await bench.line({ settings: { timezone: 'UTC' } })
  const start = clockAt(w.w.clock.now() + 30 * 60_000)
  const end = clockAt(w.w.clock.now() + 8 * 3_600_000)
  await w.ai('PATCH', 'settings', { business_hours: { start, end, days: [1, 2, 3, 4, 5, 6, 7] } })
  expect(await w.ask('qual o horário?')).toEqual([])
  await w.jump(28 * 60_000)
  expect(await w.heard()).toEqual([])
  await w.jump(2 * 60_000)
  expect(await w.heard()).toEqual([HOURS])
})

test('people who opted out still get answers: the opt-out was about campaigns', async () => {
  const w = await bench.line()
  await w.w.api('POST', '/v1/opt-outs', { phone: w.person })
  await w.jump(1_000)
  expect(await w.ask('qual o horário?')).toEqual([HOURS])
})

test('a stop word gets no answer, however often, nor do questions before it', async () => {
  const w = await bench.line()
  await w.write('qual o horário?')
  for (const text of ['Sair, obrigado', 'STOP']) {
    expect(await w.ask(text)).toEqual([])
    expect((await w.turns()).at(-1)).toMatchObject({ state: 'skipped', reason: 'opted_out' })
    await w.jump(60_000)
  }
  expect(await w.ask('qual o horário?')).toEqual([HOURS])
})

test('an answer waits while the number is not connected, and is sent once it is', async () => {
  const w = await bench.line()
  await w.write('qual o horário?')
  await w.w.api('POST', `/v1/instances/${w.instanceId}/disconnect`)
  await w.w.pass(30_000)
  expect(await w.heard()).toEqual([])
  await w.w.api('POST', `/v1/instances/${w.instanceId}/restart`)
  await w.w.pass(90_000)
  expect(await w.heard()).toEqual([HOURS])
})

test('a send that left nothing is tried again', async () => {
  const w = await bench.line()
  await w.w.api('POST', `/v1/sandbox/instances/${w.instanceId}/faults`, { kind: 'unreachable', times: 1 })
  await w.write('qual o horário?')
  await w.w.pass(60_000)
  expect(await w.heard()).toEqual([HOURS])
  expect((await w.turns())[0]).toMatchObject({ state: 'answered' })
})

test('a recreated instance forgets its conversations and keeps its agents', async () => {
  const w = await bench.line()
  await w.ask('qual o horário?')
  await w.w.api('POST', `/v1/instances/${w.instanceId}/recreate?confirm=true`)
  await w.w.quiet()
  expect(await w.w.rows('SELECT seq FROM ai_conversations WHERE instance_id = :id', { id: w.instanceId })).toEqual([])
  expect(await w.turns()).toEqual([])
  expect((await w.ai('GET', 'agents')).data).toHaveLength(1)
})
