import { afterAll, beforeAll, expect, test } from 'vitest'
import { isClosedWhenSuspended, effectsOf, needsApproval, type Effect } from '../../main/contract/effects.ts'
import { asConsole } from '../support/console.ts'
import { createEffectRecorder } from '../support/effect-recorder.ts'
import { fakeClock } from '../support/clock.ts'
import { ALL_OPERATIONS } from '../support/operations.ts'
import { beeps, voiceInProcess } from '../support/voice.ts'
import { world, type World } from '../support/world.ts'

/**
 * Operations that reach servers which somebody set before: models, tools of agents, speech services and trunks. The
 * examples of the contract have none of these, so `effects.test.ts` finds nothing to reach. The clock stands still: on a busy
 * machine it would pass the deadlines of servers that answer.
 */

const recorder = createEffectRecorder()
const PHONE = '12025550177'
const resolve = async () => ['93.184.216.34']
let w: World
let at: string

beforeAll(async () => {
  const clock = fakeClock()
  const outside = { resolve, dial: recorder.dial }
  const startVoice = voiceInProcess(clock, beeps, outside)
  w = await world({ clock, ...outside, startVoice, observeEngine: recorder.observeEngine })
  const line = await w.pair()
  at = `/v1/instances/${line.id}`
  await must('POST', `${at}/voice/enable`)
  await must('PUT', `${at}/ai/provider-keys/custom`, { base_url: 'https://model.sandbox/v1' })
  const agent = await must('POST', `${at}/ai/agents`, { name: 'Ana', provider: 'custom', model: 'sandbox-1' })
  await must('POST', `${at}/ai/agents/${agent.id}/http-tools`, {
    ...{ name: 'order_status', description: 'Looks up an order.', method: 'POST' },
    url: 'https://catcher.sandbox/orders',
    parameters: [{ name: 'number', type: 'string', description: 'Of the order.', required: true }],
  })
  await must('POST', `/v1/sandbox/phones/${PHONE}/messages`, { to: line.phone_number, text: 'Where is my order?' })
  await w.quiet()
})
afterAll(() => w.close())

async function must(method: string, path: string, body?: object) {
  const answer = await asConsole(w)(method, path, body)
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

/** What an operation does, and that all of it is declared. */
async function effectsIn(id: string, path: string, body?: object): Promise<Effect[]> {
  const operation = ALL_OPERATIONS.find((one) => one.id === id)
  if (operation === undefined) throw new Error(`there is no operation ${id}`)
  const done = await recorder.during(w, async () => {
    const answer = await asConsole(w)(operation.method, path, body)
    return JSON.stringify(answer.body)
  })
  // A server that is set is tried as well: it is where data goes from now on.
  const isSet = done.has('destination')
  const effects = [...done.keys()].filter((effect) => !(isSet && effect === 'outbound'))
  for (const effect of effects) expect(effectsOf(operation), `${id}: ${done.get(effect)}`).toContain(effect)
  return effects
}

/** The model calls the tool, and then answers. */
async function callsTheTool(): Promise<void> {
  const reply = { reply: 'On its way.', confidence: 0.9, needs_person: false }
  await must('POST', '/v1/sandbox/model/replies', {
    replies: [
      { tool_calls: [{ name: 'order_status', arguments: { number: 'A-1' } }] },
      { text: JSON.stringify(reply) },
    ],
  })
}

const calledTools = async () => (await must('GET', '/v1/sandbox/catcher/orders')).data.length as number

test('A-09 testing an agent calls its HTTP tools, which is a declared effect', async () => {
  await callsTheTool()
  const before = await calledTools()
  expect(await effectsIn('testAgent', `${at}/ai/test`, { message: 'Where is my order?' })).toEqual(['outbound'])
  expect(await calledTools()).toBe(before + 1)
})

test('A-09 suggesting a reply calls the HTTP tools of the agent, which is a declared effect', async () => {
  await callsTheTool()
  const before = await calledTools()
  expect(await effectsIn('suggestReply', `${at}/ai/conversations/${PHONE}/suggestions`)).toEqual(['outbound'])
  expect(await calledTools()).toBe(before + 1)
})

test('A-09 listing the models of a provider sends it the key, which is a declared effect', async () => {
  await asConsole(w)('PUT', `${at}/ai/provider-keys/openai`, { api_key: 'sk-1' })
  expect(await effectsIn('listProviderModels', `${at}/ai/providers/openai/models`)).toEqual(['outbound'])
})

test('A-09 a trunk is a destination, and checking the voice setup dials it', async () => {
  const { id } = await w.instance({ engine: 'official', network: 'live' })
  const voice = `/v1/instances/${id}/voice`
  await must('POST', `${voice}/enable`)
  const trunk = { host: 'sip.example.com', port: 5061, transport: 'tls', username: '1001', password: 'example' }
  expect(await effectsIn('setVoiceTrunk', `${voice}/trunk`, trunk)).toEqual(['destination'])
  expect(await effectsIn('checkVoiceSetup', `${voice}/check`)).toEqual(['outbound'])
  expect(await effectsIn('removeVoiceTrunk', `${voice}/trunk`)).toEqual([])
})

test('A-09 speech services are a destination, and checking the voice setup connects to them', async () => {
  const url = 'https://speech.example.com/v1'
  const speech = { brain: 'pipeline', stt_url: url, tts_url: url, api_key: 'sk-1' }
  expect(await effectsIn('setVoiceSpeech', '/v1/voice/speech', speech)).toEqual(['destination'])
  expect(await effectsIn('checkVoiceSetup', `${at}/voice/check`)).toEqual(['outbound'])
  const realtime = { brain: 'realtime', realtime_url: 'wss://speech.example.com/v1/realtime', api_key: 'sk-1' }
  expect(await effectsIn('setVoiceSpeech', '/v1/voice/speech', realtime)).toEqual(['destination'])
  expect(await effectsIn('checkVoiceSetup', `${at}/voice/check`)).toEqual(['outbound'])
})

test('A-09 operations that reach such servers require approval, and are closed to suspended accounts', () => {
  for (const id of ['testAgent', 'suggestReply', 'listProviderModels', 'checkVoiceSetup']) {
    const operation = ALL_OPERATIONS.find((one) => one.id === id)!
    expect([id, needsApproval('destructive', operation), isClosedWhenSuspended(operation)]).toEqual([id, true, true])
  }
})
