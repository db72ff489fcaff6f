import { expect, test } from 'vitest'
import { voiceOf } from '../voice/calls.ts'
import { aiWorld, type AiLine, type LineOptions } from './ai-world.ts'

const bench = aiWorld()

const TOOLS = ['faq_search', 'handoff_to_human', 'schedule_call']
const NEVER_OPEN_NOW = { start: '09:00', end: '09:30', days: [1, 2, 3, 4, 5, 6, 7], timezone: 'UTC' }

/** A number whose agent asks the sandbox model. */
async function lineWith(tools: readonly string[], options: LineOptions = {}): Promise<AiLine> {
  const line = await bench.line({ agent: null, ...options })
  await line.ai('PUT', 'provider-keys/custom', { base_url: 'https://model.sandbox/v1' })
  await line.ai('POST', 'agents', { name: 'M', provider: 'custom', model: 'sandbox-1', tools })
  return line
}

const enable = (line: AiLine) => line.w.api('POST', `${voiceOf(line.instanceId)}/enable`)
const callsOf = async (line: AiLine) => (await line.w.api('GET', `${voiceOf(line.instanceId)}/calls`)).body.data

/** Writes, and waits for what comes back over the socket of the model. */
async function say(line: AiLine, text: string): Promise<string> {
  const before = (await line.heard()).length
  await line.write(text)
  for (let i = 0; i < 300 && (await line.heard()).length === before; i++) {
    await line.w.pass(100)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return (await line.heard()).slice(before).join('\n')
}

test('an agent calls the person of the chat, once, within the calling hours', async () => {
  const line = await lineWith(TOOLS)
  await enable(line)
  const hours = await line.w.api('PATCH', `${voiceOf(line.instanceId)}/settings`, { calling_hours: NEVER_OPEN_NOW })
  expect(hours.status, hours.text).toBe(200)
  expect(await say(line, 'please call me')).toContain('The person will be called on')
  const [call, ...others] = await callsOf(line)
  expect(others).toEqual([])
  expect(call).toMatchObject({ to_number: line.person, source: 'ai', status: 'scheduled', direction: 'outbound' })
  expect(call.scheduled_at).toMatch(/T09:00:00\.000Z$/)
  expect(await say(line, 'really, call me')).toContain('A call is scheduled already.')
  expect(await callsOf(line)).toHaveLength(1)
})

test.each([
  ['the agent does not have the tool', ['faq_search', 'handoff_to_human'], true],
  ['voice is not enabled', TOOLS, false],
])('it is not available if %s', async (_, tools, isEnabled) => {
  const line = await lineWith(tools)
  if (isEnabled) await enable(line)
  await say(line, 'please call me')
  expect(await callsOf(line)).toEqual([])
})

test('trying an agent out calls nobody', async () => {
  const line = await lineWith(TOOLS)
  await enable(line)
  const tried = await line.ai('POST', 'test', { message: 'please call me' })
  expect(tried.tool_calls.map(({ name }: any) => name)).not.toContain('schedule_call')
  expect(await callsOf(line)).toEqual([])
})
