import { APICallError } from 'ai'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { NotReached } from '../../../main/capabilities/ai-providers/guarded-fetch.ts'
import { BrokenBody } from '../../../main/outbound/outbound.ts'
import { aiBench, sure, type Said } from './ai-bench.ts'

let bench: Awaited<ReturnType<typeof aiBench>>
beforeEach(async () => {
  bench = await aiBench()
  onTestFinished(() => bench.close())
})

const ANA = '12025550100'
const BEN = '12025550101'

const status = (statusCode: number, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: 'sk-leaked-by-the-provider',
    url: 'https://provider.example/v1',
    requestBodyValues: {},
    ...{ statusCode, responseHeaders, responseBody: 'sk-leaked-by-the-provider' },
  })

async function ask(text = 'Hi, a question', seconds = 4): Promise<string[]> {
  await bench.receive(ANA, text)
  await bench.pass(seconds)
  return bench.texts(ANA)
}

test('a model answers with a confidence, a stage and its cost', async () => {
  const agent = await bench.agent()
  const { stages, agents } = bench.process().ai
  const place = { instanceId: bench.process().subject.id, agentId: agent.id }
  await stages.create(place, { name: 'Greet', objective: 'Say hello' })
  const second = await stages.create(place, { name: 'Sell', objective: 'Sell something' })
  bench.model = () => sure('We open at 8.', { stage_id: second.id })
  expect(await ask()).toEqual(['We open at 8.'])
  expect(await bench.conversation(ANA)).toMatchObject({ ai_active: true, agent_id: agent.id, stage_id: second.id })
  expect(bench.turns()).toMatchObject([{ source: 'model', input_tokens: 100, output_tokens: 20, cost_micros: 65 }])
  expect(agents).toBeDefined()
  expect(bench.prompts[0]).toContain('Greet (the conversation is here)')
})

test('a model gets a template and buttons as the person saw them, without links', async () => {
  await bench.agent()
  const shown = {
    ...{ header: 'Order 1042', footer: 'The garden shop' },
    buttons: [
      { type: 'quick_reply', title: 'Yes', id: 'today', url: null },
      { type: 'url', title: 'Track', id: null, url: 'https://garden.example/secret-key' },
    ],
  }
  const template = { type: 'template', name: 'delivery', language: 'en', components: [] }
  const interactive = {
    ...{ type: 'interactive', kind: 'list', header: null, footer: null, button: 'Choose', buttons: [], url: null },
    sections: [{ title: 'Colours', rows: [{ id: 'r', title: 'Red', description: null }], product_ids: [] }],
  }
  const row = (type: string, text: string, content: object) => ({ type, text, content: JSON.stringify(content) })
  bench.wentOut(ANA, row('template', 'Shall we deliver today?', { ...template, shown }))
  bench.wentOut(ANA, row('template', '', template))
  bench.wentOut(ANA, row('interactive', 'Which colour?', interactive))
  bench.model = () => sure('Good.')
  expect(await ask('Yes')).toEqual(['Good.'])
  const prompt = bench.prompts[0]?.replaceAll(/\\+n/g, '\n')
  for (const words of [
    'Order 1042\nShall we deliver today?\nThe garden shop\n[Yes] [Track]',
    '[template delivery]',
    'Which colour?\n[Choose]\nColours\n- Red',
  ])
    expect(prompt).toContain(words)
  expect(prompt).not.toContain('secret-key')
})

test('unsaved instructions can be tried with a model', async () => {
  await bench.agent()
  const { ai, subject } = bench.process()
  bench.model = (prompt) => sure(prompt.includes('Talk like a pirate.') ? 'Arr!' : 'Good day.')
  const message = 'Hi, a question'
  expect(await ai.trial.test(subject, { message, agent: { system_prompt: 'Talk like a pirate.' } })).toMatchObject({
    reply: 'Arr!',
  })
  expect(await ai.trial.test(subject, { message })).toMatchObject({ reply: 'Good day.' })
})

test('messages during the model’s answer are answered together, and the first answer is not sent', async () => {
  await bench.agent()
  bench.model = (prompt) => ({ ...sure(prompt.includes('and on Sunday') ? 'Both.' : 'Only one.'), ms: 3_000 })
  await bench.receive(ANA, 'Are you open?')
  await bench.pass(4)
  await bench.receive(ANA, 'and on Sunday?')
  await bench.pass(12)
  expect(bench.texts(ANA)).toEqual(['Both.'])
  expect(bench.turns()).toMatchObject([
    { state: 'answered', question: 'Are you open?\nand on Sunday?', input_tokens: 200 },
  ])
})

test('a person who replies while the model is asked is the only one who answers', async () => {
  await bench.agent()
  bench.model = () => ({ ...sure('Too late.'), ms: 3_000 })
  await bench.receive(ANA, 'Are you open?')
  await bench.pass(4)
  await bench.person(ANA)
  await bench.pass(10)
  expect(bench.texts(ANA)).toEqual([])
  expect(bench.turns()).toMatchObject([{ state: 'skipped', reason: 'person' }])
})

test('a slow model delays nobody else', async () => {
  await bench.agent()
  bench.model = (prompt) => ({ ...sure('Here.'), ms: prompt.includes('slow') ? 60_000 : 1_000 })
  await bench.receive(ANA, 'slow')
  await bench.receive(BEN, 'fast')
  await bench.pass(6)
  expect(bench.texts(BEN)).toEqual(['Here.'])
  expect(bench.texts(ANA)).toEqual([])
})

test('an uncertain answer of the model is not sent; a person gets the question', async () => {
  await bench.agent()
  bench.model = () => ({ answer: { reply: 'It costs 12 dollars.', confidence: 0.3, needs_person: true } })
  const [line, ...more] = await ask()
  expect(line).not.toContain('12 dollars')
  expect(more).toEqual([])
  expect(await bench.conversation(ANA)).toMatchObject({ ai_active: false, handoff: { reason: 'low_confidence' } })
})

test('the handoff tool sends the model’s own sentence, with a summary for the colleague', async () => {
  await bench.agent()
  bench.model = (_prompt, call) =>
    call === 1
      ? { calls: [{ name: 'handoff_to_human', input: { reason: 'asked_for_person', summary: 'Wants a refund.' } }] }
      : sure('A colleague will write to you.')
  expect(await ask()).toEqual(['A colleague will write to you.'])
  expect(await bench.conversation(ANA)).toMatchObject({
    ai_active: false,
    summary: 'Wants a refund.',
    handoff: { reason: 'asked_for_person', waiting: true },
  })
})

describe('a provider that fails', () => {
  const failing: readonly (readonly [string, Said, string])[] = [
    ['refuses the key', { error: status(401) }, 'provider_refused'],
    ['has no credit left', { error: status(402) }, 'provider_refused'],
    ['has no such model', { error: status(404) }, 'model_unknown'],
    ['is down', { error: status(503) }, 'provider_unavailable'],
    [
      'is silent for 30 s',
      { error: new NotReached({ stage: 'timeout', code: 'headers_timeout', message: 'Late.' }) },
      'provider_unavailable',
    ],
    ['breaks off', { ...sure('It costs 12 dollars.'), breaks: new BrokenBody('broken_off') }, 'provider_unavailable'],
    ['returns malformed JSON', { text: '{"reply": "It costs' }, 'bad_model_output'],
    ['ignores the form', { answer: { text: 'It costs 12 dollars.' } }, 'bad_model_output'],
    ['says nothing', { text: '' }, 'bad_model_output'],
  ]
  test.each(failing)('and %s causes a polite handoff', async (_name, said, reason) => {
    await bench.agent()
    bench.model = () => said
    await bench.receive(ANA, 'How much is it?')
    await bench.pass(40)
    expect(bench.texts(ANA)).toEqual(['I’m passing this conversation to a person on our team, who will reply here.'])
    expect(await bench.conversation(ANA)).toMatchObject({ ai_active: false, handoff: { reason } })
    expect(JSON.stringify(bench.turns())).not.toContain('sk-leaked')
  })

  test('with 429 is asked again after its delay, and the person notices nothing', async () => {
    await bench.agent()
    bench.model = (_prompt, call) =>
      call === 1 ? { error: status(429, { 'retry-after': '20' }) } : sure('We open at 8.')
    expect(await ask('When?', 15)).toEqual([])
    await bench.pass(10)
    expect(bench.texts(ANA)).toEqual(['We open at 8.'])
    expect(bench.prompts).toHaveLength(2)
  })

  test('with a Retry-After of an hour causes a handoff', async () => {
    await bench.agent()
    bench.model = () => ({ error: status(429, { 'retry-after': '3600' }) })
    await ask()
    expect(await bench.conversation(ANA)).toMatchObject({ handoff: { reason: 'provider_unavailable' } })
  })

  test('once succeeds on a retry', async () => {
    await bench.agent()
    bench.model = (_prompt, call) => (call === 1 ? { error: status(500) } : sure('We open at 8.'))
    expect(await ask('When?', 12)).toEqual(['We open at 8.'])
  })
})

test('without a key the agent hands over, and asks nobody', async () => {
  await bench.agent()
  bench.hasKey = false
  await ask()
  expect(await bench.conversation(ANA)).toMatchObject({ handoff: { reason: 'provider_key_missing' } })
  expect(bench.prompts).toEqual([])
})

test.each([
  ['tokens', { tokens_per_day: 100, cost_per_day_usd: null }, 'token_limit'],
  ['cost', { tokens_per_day: null, cost_per_day_usd: 0.000_06 }, 'cost_limit'],
])('at its limit of %s the agent hands over, until the next day', async (_name, limits, reason) => {
  await bench.agent({ limits })
  bench.model = () => sure('We open at 8.')
  expect(await ask()).toEqual(['We open at 8.'])
  await bench.receive(BEN, 'And you?')
  await bench.pass(4)
  expect(await bench.conversation(BEN)).toMatchObject({ ai_active: false, handoff: { reason } })
  expect(bench.prompts).toHaveLength(1)
  bench.clock.suspend(86_400_000)
  await bench.receive('12025550102', 'Tomorrow?')
  await bench.pass(4)
  expect(bench.texts('12025550102')).toEqual(['We open at 8.'])
})

describe('the safety budget of a live number', () => {
  test('is claimed for each message, and the answer waits for it', async () => {
    const live = await aiBench({ network: 'live' })
    onTestFinished(() => live.close())
    await live.agent()
    const untilMs = live.clock.now() + 20_000
    live.safety = async () =>
      live.clock.now() < untilMs ? { kind: 'wait', untilMs, reason: 'spacing' } : { kind: 'granted' }
    live.model = () => sure('We open at 8.')
    await live.receive(ANA, 'When?')
    await live.pass(10)
    expect(live.texts(ANA)).toEqual([])
    await live.pass(15)
    expect(live.texts(ANA)).toEqual(['We open at 8.'])
  })

  test('that refuses leaves the chat to a person', async () => {
    const live = await aiBench({ network: 'live' })
    onTestFinished(() => live.close())
    await live.agent()
    live.safety = async () => ({ kind: 'refused', reason: 'banned', untilMs: null })
    live.model = () => sure('We open at 8.')
    await live.receive(ANA, 'When?')
    await live.pass(5)
    expect(live.texts(ANA)).toEqual([])
    expect(await live.conversation(ANA)).toMatchObject({ handoff: { reason: 'not_sent', detail: 'banned' } })
  })
})

test('a send with an unknown outcome ends the turn, and counts as an answer once the network confirms it', async () => {
  await bench.agent()
  const { ApiError } = await import('../../../main/contract/errors.ts')
  bench.model = () => sure('We open at 8.')
  bench.onSend = async () => ({ kind: 'unknown', error: new ApiError('upstream_timeout', 'Unknown.') })
  await ask('When?', 30)
  expect(bench.turns()).toMatchObject([{ state: 'unknown', reason: 'outcome_unknown' }])
  const [{ seq: turnSeq }] = bench.turns()
  await bench.process().tell('message.sent', { chat: ANA, source: 'ai' }, { kind: 'agent', turnSeq, part: 0 })
  expect(bench.turns()).toMatchObject([{ state: 'answered' }])
})

test('a file is sent before the text, each once', async () => {
  const agent = await bench.agent()
  bench.raw
    .prepare(
      `INSERT INTO ai_agent_media VALUES (1, 'm1', ?, ?, 'Prices', 'For prices', 'fil_1', 'document', 'application/pdf', 'prices.pdf', 10, 0)`,
    )
    .run(agent.id, bench.process().subject.id)
  bench.model = (_prompt, call) =>
    call === 1 ? { calls: [{ name: 'send_media', input: { name: 'Prices' } }] } : sure('Here are our prices.')
  expect(await ask()).toEqual(['[document]', 'Here are our prices.'])
  expect(bench.sent.map(({ key }) => key.replace(/cnv_\w+/, 'cnv'))).toEqual(['ai:cnv:1', 'ai:cnv:1:1'])
})
