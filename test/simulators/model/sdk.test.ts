import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  cosineSimilarity,
  embedMany,
  generateText,
  isStepCount,
  Output,
  streamText,
  tool,
  transcribe,
  generateSpeech,
  type EmbeddingModel,
  type LanguageModel,
} from 'ai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createModelSimulator } from '../../../main/simulators/model/index.ts'
import { patientClock } from '../../support/clock.ts'
import { seededRandom } from '../../support/random.ts'

const ANA = 'acc_ana' as AccountId
const BEN = 'acc_ben' as AccountId
const CARL = 'acc_carl' as AccountId

const clock = { ...patientClock, sleep: () => Promise.resolve() }
const simulator = createModelSimulator({ clock, random: seededRandom(1), log: silentLog })
beforeAll(() => simulator.listen(0))
afterAll(() => simulator.close())
beforeEach(() => simulator.reset(ANA))

type Made = Record<string, (key?: string) => LanguageModel>
const google = () => `${simulator.url()}/v1beta`
const settings = (apiKey = simulator.keyOf(ANA)) => ({ apiKey, baseURL: `${simulator.url()}/v1` })
const compatible = (key?: string) =>
  createOpenAICompatible({ name: 'custom', supportsStructuredOutputs: true, includeUsage: true, ...settings(key) })
const MODELS = {
  'openai chat': (key) => createOpenAI(settings(key)).chat('gpt-5-mini'),
  'openai responses': (key) => createOpenAI(settings(key))('gpt-5-mini'),
  'openai-compatible': (key) => compatible(key)('sandbox-1'),
  anthropic: (key) => createAnthropic(settings(key))('claude-sonnet-4-5'),
  google: (key) => createGoogleGenerativeAI({ ...settings(key), baseURL: google() })('gemini-2.5-flash'),
} satisfies Made
const providers = Object.entries(MODELS) as [string, (key?: string) => LanguageModel][]

const FAQ = [
  { question: 'Qual é o horário?', answer: 'Das 9h às 18h.' },
  { question: 'Vocês aceitam Pix?', answer: 'Sim, Pix e cartão.' },
]
const instructions = `You answer for a shop.\n<faq>\n${FAQ.map(({ question, answer }) => `Q: ${question}\nA: ${answer}`).join('\n\n')}\n</faq>`
const searchTool = tool({
  description: 'Searches the FAQ.',
  inputSchema: z.object({ query: z.string() }),
  execute: ({ query }) => Promise.resolve(FAQ.filter(({ question }) => query !== '' && question.includes('Pix'))),
})
const ask = (model: LanguageModel, prompt: string) =>
  generateText({ model, instructions, prompt, maxRetries: 0, abortSignal: AbortSignal.timeout(5_000) })

const failureOf = async (asked: PromiseLike<unknown>): Promise<APICallError> => {
  const error: unknown = await Promise.resolve(asked).then(
    () => expect.unreachable('the request succeeded'),
    (failed: unknown) => failed,
  )
  expect(APICallError.isInstance(error), String(error)).toBe(true)
  return error as APICallError
}

describe.each(providers)('%s', (_, make) => {
  test('answers from the FAQ in its prompt, always the same, and counts tokens', async () => {
    const first = await ask(make(), 'que horas vcs abrem? qual o horario')
    const second = await ask(make(), 'que horas vcs abrem? qual o horario')
    expect([first.text, second.text]).toEqual(['Das 9h às 18h.', 'Das 9h às 18h.'])
    expect(first.finishReason).toBe('stop')
    expect(first.usage.inputTokens).toBeGreaterThan(20)
    expect(first.usage.outputTokens).toBeGreaterThan(0)
  })

  test('says that it does not know, in the language of the question', async () => {
    expect((await ask(make(), 'Vocês vendem pneus de trator?')).text).toMatch(/^Não tenho/)
    expect((await ask(make(), 'Do you sell the tyres of a tractor?')).text).toMatch(/^I do not have/)
  })

  test('calls a tool and answers from its result in the second step', async () => {
    const { text, steps } = await generateText({
      ...{ model: make(), prompt: 'vcs aceitam pix?', maxRetries: 0 },
      instructions: 'Use the tools.',
      tools: { faq_search: searchTool },
      stopWhen: isStepCount(3),
    })
    expect(steps).toHaveLength(2)
    expect(steps[0]?.toolCalls).toMatchObject([{ toolName: 'faq_search', input: { query: 'vcs aceitam pix?' } }])
    expect(text).toBe('Sim, Pix e cartão.')
  })

  test('fills a schema', async () => {
    const { output } = await generateText({
      ...{ model: make(), instructions, prompt: 'qual o horario?', maxRetries: 0 },
      output: Output.object({
        schema: z.object({
          reply: z.string(),
          stage: z.enum(['greeting', 'horario', 'pagamento']),
          confidence: z.number(),
          handoff: z.boolean(),
        }),
      }),
    })
    expect(output).toMatchObject({ reply: 'Das 9h às 18h.', stage: 'horario', handoff: false })
    expect(output.confidence).toBeGreaterThan(0.5)
  })

  test('streams the same answer in pieces', async () => {
    const { textStream, usage } = streamText({ model: make(), instructions, prompt: 'horario?', maxRetries: 0 })
    const pieces: string[] = []
    for await (const piece of textStream) pieces.push(piece)
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join('')).toBe('Das 9h às 18h.')
    expect((await usage).outputTokens).toBeGreaterThan(0)
  })

  test('streams tool calls', async () => {
    const { toolCalls } = streamText({
      ...{ model: make(), prompt: 'pix?', maxRetries: 0 },
      tools: { faq_search: searchTool },
    })
    expect(await toolCalls).toMatchObject([{ toolName: 'faq_search', input: { query: 'pix?' } }])
  })

  test('a cut stream is an error', async () => {
    simulator.cause(ANA, 'cut_stream', 1)
    const errors: unknown[] = []
    const { finishReason } = streamText({
      ...{ model: make(), instructions, prompt: 'horario?', maxRetries: 0 },
      onError: ({ error }) => void errors.push(error),
    })
    const reason = await Promise.resolve(finishReason).catch(() => 'error')
    expect([...errors, reason === 'stop' ? null : reason].filter((one) => one !== null)).not.toEqual([])
    expect(reason).not.toBe('stop')
  })

  test('a cut or malformed answer without streaming is an error', async () => {
    for (const fault of ['cut_stream', 'malformed_json'] as const) {
      simulator.cause(ANA, fault, 1)
      await expect(ask(make(), 'horario?')).rejects.toThrow()
    }
  })

  test('a wrong key is refused with 401', async () => {
    const failure = await failureOf(ask(make('sk-wrong'), 'horario?'))
    expect(failure).toMatchObject({ statusCode: 401, message: 'Incorrect API key provided.' })
    expect(failure.isRetryable).toBe(false)
  })

  test('a rate limit has a retry time, and a server error is retryable', async () => {
    simulator.cause(ANA, 'rate_limited', 1)
    const limited = await failureOf(ask(make(), 'horario?'))
    expect(limited).toMatchObject({ statusCode: 429, isRetryable: true })
    expect(limited.responseHeaders?.['retry-after']).toBe('2')
    simulator.cause(ANA, 'server_error', 1)
    expect(await failureOf(ask(make(), 'horario?'))).toMatchObject({ statusCode: 500, isRetryable: true })
    expect((await ask(make(), 'horario?')).text).toBe('Das 9h às 18h.')
  })

  test('a silent model waits until the caller gives up', async () => {
    // An account of its own: on a busy machine the request arrives after the caller gave up, amid the next test.
    simulator.cause(CARL, 'silence', 1)
    const [model, abortSignal] = [make(simulator.keyOf(CARL)), AbortSignal.timeout(50)]
    const asked = generateText({ model, prompt: 'a', maxRetries: 0, abortSignal })
    await expect(asked).rejects.toThrow(/abort|timeout/i)
  })

  test('calls a tool with arguments that are not JSON', async () => {
    simulator.cause(ANA, 'malformed_tool_call', 1)
    const asked = generateText({ model: make(), prompt: 'pix?', maxRetries: 0, tools: { faq_search: searchTool } })
    const broken = await Promise.resolve(asked).then(
      ({ toolCalls }) => toolCalls.every((call) => call.invalid === true),
      () => true,
    )
    expect(broken).toBe(true)
  })

  test('gives a prepared answer once', async () => {
    simulator.queue(ANA, [{ text: 'Olá!' }, { tool_calls: [{ name: 'faq_search', arguments: { query: 'x' } }] }])
    expect((await ask(make(), 'horario?')).text).toBe('Olá!')
    const { toolCalls } = await generateText({ model: make(), prompt: 'a', tools: { faq_search: searchTool } })
    expect(toolCalls).toMatchObject([{ toolName: 'faq_search', input: { query: 'x' } }])
    expect((await ask(make(), 'horario?')).text).toBe('Das 9h às 18h.')
  })

  test('an unknown model is 404', async () => {
    const unknown: Made = {
      openai: () => createOpenAI(settings()).chat('llama-9'),
      anthropic: () => createAnthropic(settings())('llama-9'),
      google: () => createGoogleGenerativeAI({ ...settings(), baseURL: google() })('llama-9'),
    }
    for (const model of Object.values(unknown)) {
      expect(await failureOf(ask(model(), 'a'))).toMatchObject({ statusCode: 404 })
    }
  })
})

describe('a prompt', () => {
  const model = () => MODELS['openai chat'](simulator.keyOf(ANA))
  const stages =
    '- s1: Welcome. Objective: greet.\n- s2: Booking (the conversation is here). Objective: find a day.\n- s3: Pix payment.'
  const answerIn = async (system: string, prompt: string) =>
    (
      await generateText({
        ...{ model: model(), instructions: system, prompt, maxRetries: 0 },
        output: Output.object({
          schema: z.object({ reply: z.string().nullable(), stage_id: z.enum(['s1', 's2', 's3']) }),
        }),
      })
    ).output

  test('may quote what a person wrote and mix questions with passages', async () => {
    const knowledge =
      '<knowledge>\nQ: Qual é o horário?\nA: Das 9h às 18h.\n\nDocument: Manual, Garantia, p. 2\nCobre defeitos por doze meses.\n</knowledge>'
    const asked = (text: string) =>
      generateText({ model: model(), instructions: knowledge, prompt: `<message>\n${text}\n</message>` })
    expect((await asked('qual o horario')).text).toBe('Das 9h às 18h.')
    expect((await asked('a garantia cobre defeitos?')).text).toBe('Cobre defeitos por doze meses.')
  })

  test('is not answered from its instructions', async () => {
    const { text } = await ask(model(), 'Do you sell tyres of tractors?')
    expect(text).not.toContain('You answer for a shop')
  })

  test('explains ids and which is current', async () => {
    expect(await answerIn(`${instructions}\n${stages}`, 'Vocês aceitam Pix?')).toEqual({
      reply: 'Sim, Pix e cartão.',
      stage_id: 's3',
    })
    expect((await answerIn(`${instructions}\n${stages}`, 'hmm')).stage_id).toBe('s2')
  })
})

describe.each<[string, () => EmbeddingModel]>([
  ['openai', () => createOpenAI(settings()).embeddingModel('text-embedding-3-small')],
  ['openai-compatible', () => compatible().embeddingModel('sandbox-embedding')],
  [
    'google',
    () => createGoogleGenerativeAI({ ...settings(), baseURL: google() }).embeddingModel('gemini-embedding-001'),
  ],
])('embeddings of %s', (_, make) => {
  test('are close for texts on the same subject, in any spelling or language', async () => {
    const { embeddings } = await embedMany({
      model: make(),
      values: [
        'Qual é o horário de funcionamento?',
        'orario de funcionamento',
        'what time do you open',
        'Aceitam Pix?',
      ],
      maxRetries: 0,
    })
    const [question = [], misspelt = [], english = [], other = []] = embeddings
    expect(cosineSimilarity(question, misspelt)).toBeGreaterThan(0.9)
    expect(cosineSimilarity(question, english)).toBeGreaterThan(cosineSimilarity(question, other) + 0.2)
  })
})

describe('speech', () => {
  const openai = () => createOpenAI(settings())

  test('is a WAV file that the sandbox can transcribe', async () => {
    const { audio } = await generateSpeech({ model: openai().speech('tts-1'), text: 'Olá, Ana!', outputFormat: 'wav' })
    expect(Buffer.from(audio.uint8Array).toString('latin1', 0, 4)).toBe('RIFF')
    const { text } = await transcribe({ model: openai().transcription('whisper-1'), audio: audio.uint8Array })
    expect(text).toBe('Olá, Ana!')
  })

  test('of a person is transcribed as prepared', async () => {
    simulator.queue(ANA, [{ text: 'Quero marcar um horário.' }])
    const { text } = await transcribe({ model: openai().transcription('whisper-1'), audio: Buffer.from('OggS...') })
    expect(text).toBe('Quero marcar um horário.')
  })

  test('is refused in an unknown format', async () => {
    const asked = generateSpeech({ model: openai().speech('tts-1'), text: 'a', outputFormat: 'mp3', maxRetries: 0 })
    expect((await failureOf(asked)).message).toContain('wav and pcm only')
  })
})

describe('accounts', () => {
  test('have their own faults, replies and requests', async () => {
    simulator.cause(ANA, 'server_error', 1)
    simulator.queue(ANA, [{ text: 'For Ana.' }])
    const ben = MODELS['openai chat'](simulator.keyOf(BEN))
    expect((await ask(ben, 'horario?')).text).toBe('Das 9h às 18h.')
    expect(simulator.view(BEN).requests).toMatchObject([
      { path: '/v1/chat/completions', model: 'gpt-5-mini', status: 200, fault: null },
    ])
    expect(simulator.view(ANA).queued).toBe(1)
  })

  test('a key cannot be derived from another account’s id', async () => {
    const forged = simulator.keyOf(BEN).replace(BEN, ANA)
    expect(await failureOf(ask(MODELS.anthropic(forged), 'a'))).toMatchObject({ statusCode: 401 })
  })

  test('the list of models needs no key, but a wrong one is refused', async () => {
    const list = (headers: Record<string, string>) => fetch(`${simulator.url()}/v1/models`, { headers })
    for (const headers of [{}, { authorization: `Bearer ${simulator.keyOf(ANA)}` }]) {
      const found: unknown = await (await list(headers)).json()
      expect(found).toMatchObject({ object: 'list', data: [{ id: 'sandbox-1', object: 'model' }, {}, {}, {}] })
    }
    expect((await list({ authorization: 'Bearer sk-wrong' })).status).toBe(401)
    expect((await list({ 'x-api-key': 'sk-wrong' })).status).toBe(401)
  })
})
