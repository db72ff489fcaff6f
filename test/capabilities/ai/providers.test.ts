import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAiProviders, ProviderFailure, type AiProviders } from '../../../main/capabilities/ai-providers/index.ts'
import { createModelBrain } from '../../../main/capabilities/ai/model-brain.ts'
import type { BrainTurn } from '../../../main/capabilities/ai/index.ts'
import type { AnswerSource } from '../../../main/contract/ai-conversation.ts'
import type { KeyedProvider } from '../../../main/contract/ai.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { systemRandom } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createOutbound } from '../../../main/outbound/outbound.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { createModelSimulator, type ModelSimulator } from '../../../main/simulators/model/index.ts'
import { testDatabase } from '../../support/database.ts'
import { keepsAccess } from '../../support/access.ts'

const accountId = '0197f0c2-0000-7c51-9d2b-5f8e1a7c4b60' as AccountId
const instanceId = '0197f0c2-0000-7c51-9d2b-5f8e1a7c4b61'
const PROVIDERS = ['openai', 'anthropic', 'google', 'openrouter', 'custom'] as const
const BASE = { openai: '/v1', anthropic: '/v1', google: '/v1beta', openrouter: '/v1', custom: '/v1' }
const MODELS = {
  openai: 'gpt-5-mini',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
  openrouter: 'gpt-5',
  custom: 'sandbox-1',
}

let simulator: ModelSimulator
let providers: AiProviders
let close: () => Promise<void>

beforeAll(async () => {
  const { db, close: closeDatabase } = await testDatabase()
  simulator = createModelSimulator({ clock: systemClock, random: systemRandom, log: silentLog })
  await simulator.listen(0)
  const resolve = async () => []
  const outbound = createOutbound({ clock: systemClock, resolve, trustedRanges: [] })
  providers = createAiProviders({
    ...{ db, clock: systemClock, outbound, publicOutbound: outbound, resolve, modelSimulator: simulator },
    seal: createSeal({ masterKey: { key: () => MASTER }, random: systemRandom }),
    instances: { subscribe() {} },
  })
  for (const provider of PROVIDERS)
    await providers.put(
      { instanceId, accountId },
      provider,
      { base_url: `https://model.sandbox${BASE[provider]}` },
      { byOperator: false, requireAccess: keepsAccess },
    )
  close = async () => {
    await providers.close()
    await outbound.close()
    await simulator.close()
    await closeDatabase()
  }
})
afterAll(() => close())

const MASTER = Buffer.alloc(32, 7)

const brain = () =>
  createModelBrain({
    ...{ clock: systemClock, providers },
    knowledge: { search: async () => ({ sources: [SOURCE], isSure: true, confidence: 0.9 }) },
    media: { of: async () => [] },
    httpTools: { all: async () => [] },
    callHttp: async () => '',
  })

const SOURCE: AnswerSource = {
  kind: 'faq',
  ...{ id: 'f1', title: 'When are you open?', score: 5 },
  excerpt: 'Monday to Friday, 8 am to 6 pm.',
}

const turnOf = (provider: KeyedProvider, question = 'When are you open?'): BrainTurn => ({
  ...{ instanceId, accountId, stages: [], stageId: null, question, kind: 'reply', nowMs: 0, timezone: 'UTC' },
  scheduleCall: null,
  history: [{ from: 'person', text: question }],
  agent: {
    ...{ seq: 1, id: 'a1', instanceId, name: 'A', provider, model: MODELS[provider], systemPrompt: 'Be brief.' },
    ...{ isPrimary: true, temperature: null, tools: ['faq_search', 'handoff_to_human'], price: null },
    ...{ limits: { tokens_per_day: null, cost_per_day_usd: null }, createdAtMs: 0, updatedAtMs: 0 },
  },
})

const reply = (provider: KeyedProvider, question?: string) =>
  brain().reply(turnOf(provider, question), new AbortController().signal)

describe.each(PROVIDERS)('%s over HTTP', (provider) => {
  test('its key is verified, and its models are listed', async () => {
    const keys = await providers.list(instanceId)
    expect(keys.find((key) => key.provider === provider)).toMatchObject({ configured: true, verified: true })
    const models = await providers.models({ instanceId, accountId, provider })
    expect(models.map(({ id }) => id)).toContain('sandbox-1')
  })

  test('answers with tools and a structured answer, and counts its tokens', async () => {
    const decision = await reply(provider)
    expect(decision.reply).toContain('Monday to Friday')
    expect(decision).toMatchObject({ source: 'model', handoff: null })
    expect(decision.toolCalls.map(({ name }) => name)).toContain('faq_search')
    expect(decision.usage.inputTokens).toBeGreaterThan(0)
    expect(decision.usage.outputTokens).toBeGreaterThan(0)
  })

  test.each([
    ['unauthorized', 'refused'],
    ['rate_limited', 'rate_limited'],
    ['server_error', 'unavailable'],
    ['cut_stream', 'unavailable'],
    ['malformed_json', 'bad_output'],
  ] as const)('%s is %s, with nothing of what it said', async (fault, code) => {
    simulator.reset(accountId)
    simulator.cause(accountId, fault, 20)
    const failure = await reply(provider).catch((error: unknown) => error)
    simulator.reset(accountId)
    expect(failure).toBeInstanceOf(ProviderFailure)
    expect(failure).toMatchObject({ code })
    if (fault === 'rate_limited') expect(failure).toMatchObject({ retryAfterMs: 2_000 })
  })

  test('a missing model is reported as missing', async () => {
    const turn = turnOf(provider)
    const asked = brain().reply(
      { ...turn, agent: { ...turn.agent, model: 'no-such-model' } },
      new AbortController().signal,
    )
    await expect(asked).rejects.toMatchObject({ code: 'model_unknown' })
  })
})

test('vectors are made if the provider has a model for them', async () => {
  for (const provider of ['openai', 'google', 'custom'] as const) {
    const made = await providers.embed({ instanceId, accountId, provider }, ['hello', 'world'])
    expect(made?.vectors).toHaveLength(2)
    expect(made?.vectors[0]?.length).toBeGreaterThan(10)
  }
  expect(await providers.embed({ instanceId, accountId, provider: 'anthropic' }, ['hello'])).toBeUndefined()
})

test('the simulated model is found and listed under its name', async () => {
  const found = await providers.findLocal(accountId)
  expect(found).toContainEqual({
    kind: 'sandbox',
    base_url: 'https://model.sandbox/v1',
    models: expect.arrayContaining(['sandbox-1']),
  })
})
