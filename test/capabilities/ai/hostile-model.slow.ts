import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createAiProviders, ProviderFailure, type AiProviders } from '../../../main/capabilities/ai-providers/index.ts'
import { createModelBrain } from '../../../main/capabilities/ai/model-brain.ts'
import type { BrainTurn } from '../../../main/capabilities/ai/index.ts'
import type { KeyedProvider } from '../../../main/contract/ai.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { systemRandom, type AccountId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { createOutbound } from '../../../main/outbound/outbound.ts'
import { createModelSimulator, type ModelSimulator } from '../../../main/simulators/model/index.ts'
import { testDatabase } from '../../support/database.ts'
import { startHostileModel, type HostileModel } from '../../support/hostile-model.ts'
import { HOSTILE_STREAMS, type HostileStream } from '../../support/hostile-streams.ts'
import { longestStretch, shortestOf, slowness } from '../../support/loop-stretch.ts'
import { sized } from '../../support/sized.ts'
import { keepsAccess } from '../../support/access.ts'

// A busy machine takes many times longer; what is measured is processor time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** A model of somebody else's choice does what it likes. Nobody but its own account notices. */
const accountId = '0197f0c2-0000-7c51-9d2b-5f8e1a7c4b60' as AccountId
const [hostileLine, healthyLine] = ['0197f0c2-0000-7c51-9d2b-5f8e1a7c4b61', '0197f0c2-0000-7c51-9d2b-5f8e1a7c4b62']
const MOST_MS = 50
/** Less than the longest of these bodies; the server is in this process as well. */
const MOST_BYTES = 128 * 1024 * 1024
/** In place of the two minutes that a turn has. */
const DEADLINE_MS = 1_000
/** A list of models is waited for ten seconds; the rest is for a busy machine. */
const LONGEST_MS = 15_000

let server: HostileModel
let simulator: ModelSimulator
let providers: AiProviders
let close: () => Promise<void>

beforeAll(async () => {
  const { db, close: closeDatabase } = await testDatabase()
  simulator = createModelSimulator({ clock: systemClock, random: systemRandom, log: silentLog })
  await simulator.listen(0)
  server = await startHostileModel()
  const resolve = async () => []
  const outbound = createOutbound({ clock: systemClock, resolve, trustedRanges: ['127.0.0.0/8'] })
  const key = Buffer.alloc(32, 7)
  providers = createAiProviders({
    ...{ db, clock: systemClock, outbound, publicOutbound: outbound, resolve, modelSimulator: simulator },
    seal: createSeal({ masterKey: { key: () => key }, random: systemRandom }),
    instances: { subscribe() {} },
  })
  await providers.put(
    { instanceId: healthyLine, accountId },
    'custom',
    { base_url: 'https://model.sandbox/v1' },
    { byOperator: false, requireAccess: keepsAccess },
  )
  // It behaves until it is asked for an answer.
  await server.set('breaks off')
  for (const provider of PROVIDERS)
    await providers.put(
      { instanceId: hostileLine, accountId },
      provider,
      { api_key: 'k', base_url: server.url },
      { byOperator: true, requireAccess: keepsAccess },
    )
  // The library of models is loaded with the first request.
  await answer(healthyLine, 'custom', AbortSignal.timeout(60_000))
  close = async () => {
    await providers.close()
    await outbound.close()
    await server.close()
    await simulator.close()
    await closeDatabase()
  }
})
afterAll(() => close())
afterEach(() => expect.poll(() => server.open).toBe(0))

const PROVIDERS = ['custom', 'openai', 'anthropic', 'google', 'openrouter'] as const

const turnOf = (instanceId: string, provider: KeyedProvider): BrainTurn => ({
  ...{ instanceId, accountId, stages: [], stageId: null, question: 'Open?', kind: 'reply', nowMs: 0, timezone: 'UTC' },
  scheduleCall: null,
  history: [{ from: 'person', text: 'Open?' }],
  agent: {
    ...{ seq: 1, id: 'a1', instanceId, name: 'A', provider, model: 'sandbox-1', systemPrompt: 'Be brief.' },
    ...{ isPrimary: true, temperature: null, tools: ['faq_search', 'handoff_to_human'], price: null },
    ...{ limits: { tokens_per_day: null, cost_per_day_usd: null }, createdAtMs: 0, updatedAtMs: 0 },
  },
})

const brain = () =>
  createModelBrain({
    ...{ clock: systemClock, providers },
    knowledge: {
      search: async () => ({ sources: [], isSure: true, confidence: 0.9 }),
    },
    media: { of: async () => [] },
    httpTools: { all: async () => [] },
    callHttp: async () => '',
  })

const answer = (instanceId: string, provider: KeyedProvider = 'custom', signal = AbortSignal.timeout(DEADLINE_MS)) =>
  brain().reply(turnOf(instanceId, provider), signal)

/** What a provider is asked for: an answer with tools, vectors, and its list of models. */
const WAYS: Readonly<Record<string, (provider: KeyedProvider) => Promise<unknown>>> = {
  'an answer': (provider) => answer(hostileLine, provider),
  vectors: (provider) =>
    providers.embed({ instanceId: hostileLine, accountId, provider }, ['hello'], AbortSignal.timeout(DEADLINE_MS)),
}

async function failureOf(asked: Promise<unknown>): Promise<Error | undefined> {
  return asked.then(
    () => undefined,
    (error: unknown) => error as Error,
  )
}

const STREAMS = Object.keys(HOSTILE_STREAMS) as HostileStream[]

describe.each(sized<readonly KeyedProvider[]>(['custom'], PROVIDERS))(
  'a model server that answers like %s',
  (provider) => {
    test.each(STREAMS)('and %s: fails in time, with little memory, and blocks nobody', async (stream) => {
      await server.set(stream)
      const before = process.memoryUsage.rss()
      for (const [way, ask] of Object.entries(WAYS)) {
        let failure: Error | undefined
        const startMs = performance.now()
        const once = async () => void (failure = await failureOf(ask(provider)))
        const first = await longestStretch(once)
        const tookMs = performance.now() - startMs
        // Not every provider has vectors.
        if (way === 'an answer') expect(failure, way).toBeInstanceOf(Error)
        // One sentence of ours that says what to do, and nothing that the server said.
        expect(failure?.message ?? 'cancelled', way).toMatch(/Choose|Check|Try again|cancelled/)
        expect(failure?.message.length ?? 0, way).toBeLessThan(200)
        expect(tookMs, way).toBeLessThan(LONGEST_MS)
        const ms = first <= MOST_MS ? first : (await shortestOf(2, once, MOST_MS)) / slowness()
        expect(ms, `${way} held the event loop up`).toBeLessThanOrEqual(MOST_MS)
      }
      expect(process.memoryUsage.rss() - before).toBeLessThan(MOST_BYTES)
    })
  },
)

test('another account is answered while five such servers are asked at the same time', async () => {
  await server.set('never ends its text')
  const hostile = Array.from({ length: 5 }, () => failureOf(answer(hostileLine)))
  const healthy = await answer(healthyLine, 'custom', AbortSignal.timeout(60_000))
  expect(healthy.source).toBe('model')
  for (const failure of await Promise.all(hostile)) expect(failure).toBeInstanceOf(ProviderFailure)
})
