import { expect, test } from 'vitest'
import { asConsole } from '../../support/console.ts'
import { aiWorld, HOURS, type AiLine } from './ai-world.ts'

const bench = aiWorld()

async function fromWindow(line: AiLine, text: string): Promise<void> {
  const { w, instanceId, person } = line
  const sent = await asConsole(w)('POST', `/v1/instances/${instanceId}/messages`, { to: person, text })
  expect(sent.status).toBe(201)
  await w.quiet()
}

test('a message from the window pauses the agent, including an answer in preparation', async () => {
  const w = await bench.line()
  await w.write('qual o horário?')
  await w.w.pass(3_000)
  await fromWindow(w, 'Oi, aqui é a Ana!')
  await w.w.pass(20_000)
  expect(await w.heard()).toEqual(['Oi, aqui é a Ana!'])
  expect((await w.turns())[0]).toMatchObject({ state: 'skipped', reason: 'person' })
  expect(await w.conversation()).toMatchObject({ ai_active: false, pause_reason: 'person', answered_by: 'person' })
})

test('a message typed on the phone pauses the agent', async () => {
  const w = await bench.line()
  await w.ask('qual o horário?')
  const typed = await w.w.api('POST', `/v1/sandbox/phones/${w.number}/messages`, {
    to: w.person,
    text: 'Aqui é o João',
  })
  expect(typed.status, typed.text).toBeLessThan(300)
  await w.w.quiet()
  expect(await w.conversation()).toMatchObject({ ai_active: false, pause_reason: 'person' })
  expect(await w.ask('onde fica a loja?')).toEqual([])
})

test('a message sent with an API key does not pause the agent', async () => {
  const w = await bench.line()
  await w.w.api('POST', `/v1/instances/${w.instanceId}/messages`, { to: w.person, text: 'Seu pedido saiu.' })
  await w.w.quiet()
  expect(await w.ask('qual o horário?')).toEqual([HOURS])
})

test('an agent paused by hand waits until somebody resumes; questions during the pause stay unanswered', async () => {
  const w = await bench.line()
  await w.ai('POST', `conversations/${w.person}/pause`, { minutes: null })
  expect(await w.conversation()).toMatchObject({ ai_active: false, paused_until: null, pause_reason: 'user' })
  expect(await w.ask('qual o horário?')).toEqual([])
  await w.ai('POST', `conversations/${w.person}/resume`)
  await w.w.pass(20_000)
  expect(await w.heard()).toEqual([])
  expect(await w.ask('onde fica a loja?')).toEqual(['Ficamos na Rua das Flores, 123, no centro.'])
})

test('a person’s message does not shorten a pause that somebody chose', async () => {
  const w = await bench.line()
  await w.ai('POST', `conversations/${w.person}/pause`, { minutes: null })
  await fromWindow(w, 'Olá')
  expect(await w.conversation()).toMatchObject({ ai_active: false, paused_until: null, pause_reason: 'user' })
})

test('a chat that a person answers leaves the list of waiting chats', async () => {
  const w = await bench.line()
  await w.ask('vocês fazem tatuagem de henna?')
  expect(await w.conversation()).toMatchObject({ handoff: { waiting: true } })
  await fromWindow(w, 'Fazemos sim!')
  expect(await w.conversation()).toMatchObject({ handoff: { waiting: false }, answered_by: 'person' })
})

test('after ten answers in ten minutes, or the same text three times, the agent hands over silently', async () => {
  const w = await bench.line()
  await w.ask('qual o horário?')
  await w.ask('qual o horário?')
  expect(await w.ask('qual o horário?')).toEqual([])
  expect(await w.conversation()).toMatchObject({ handoff: { reason: 'loop' }, ai_active: false })

  const other = '5511912340002'
  const questions = ['qual o horário?', 'onde fica a loja?', 'aceitam cartão?']
  let answers = 0
  for (let i = 0; i < 12; i++) answers += (await w.ask(questions[i % 3] ?? '', other)).length
  expect(answers).toBe(10)
  expect(await w.conversation(other)).toMatchObject({ handoff: { reason: 'loop' } })
})

test('at the hourly limit of a chat the agent hands over', async () => {
  const w = await bench.line({ settings: { max_replies_per_hour: 2 } })
  await w.ask('qual o horário?')
  await w.ask('onde fica a loja?')
  expect(await w.ask('aceitam cartão?')).toEqual([])
  expect(await w.conversation()).toMatchObject({ handoff: { reason: 'hourly_limit' } })
})

test('groups are ignored by default', async () => {
  const w = await bench.line()
  await w.w.api('POST', `/v1/sandbox/phones/${w.person}/messages`, {
    to: w.number,
    text: 'qual o horário?',
    group: 'team',
  })
  await w.w.pass(10_000)
  expect(await w.turns()).toEqual([])
})

test('a text said twice in one burst counts once', async () => {
  const w = await bench.line()
  for (const times of [1, 2]) {
    for (let i = 0; i < times; i++) await w.write('qual o horário?')
    await w.w.pass(7_000)
  }
  expect(await w.heard()).toHaveLength(2)
  expect(await w.ask('qual o horário?')).toEqual([])
  expect(await w.conversation()).toMatchObject({ handoff: { reason: 'loop' } })
})
