import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { graphWorld, type Credentials, type GraphWorld } from './graph-world.ts'

let world: GraphWorld
let credentials: Credentials
let instance: EngineInstance
beforeAll(async () => {
  world = await graphWorld()
  credentials = await world.number('12025550420')
  instance = await world.connect(credentials)
})
afterAll(() => world.close())

function settings() {
  const { conversational } = world.official.engine
  if (conversational === undefined) throw new Error('the engine has no conversational components')
  return conversational
}
const post = async (body: object) => {
  const { phoneNumberId, accessToken } = credentials
  const answer = await fetch(`${world.graph.url()}/v26.0/${phoneNumberId}/conversational_automation`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return [answer.status, (await answer.json()).error?.code]
}
const command = (name: string, hint = 'When we are open') => ({ command_name: name, command_description: hint })

test.each<[string, object]>([
  ['five ice breakers', { prompts: ['a', 'b', 'c', 'd', 'e'] }],
  ['an ice breaker of 81 characters', { prompts: ['x'.repeat(81)] }],
  ['an ice breaker with an emoji', { prompts: ['Open? 🕘'] }],
  ['31 commands', { commands: Array.from({ length: 31 }, (_, n) => command(`c${n}`)) }],
  ['a command of 33 characters', { commands: [command('x'.repeat(33))] }],
  ['a hint of 257 characters', { commands: [command('hours', 'x'.repeat(257))] }],
  ['a command without a hint', { commands: [{ command_name: 'hours' }] }],
])('the simulated Meta refuses %s', async (_, body) => {
  expect(await post(body)).toEqual([400, 100])
})

test('the settings are read from Meta again, also if they were changed elsewhere', async () => {
  expect(await settings().read(instance)).toEqual({ iceBreakers: [], commands: [] })
  const wish = { iceBreakers: ['When are you open?'], commands: [{ name: 'hours', hint: 'When we are open' }] }
  await settings().set(instance, wish)
  expect(await settings().read(instance)).toEqual(wish)
  expect(await post({ prompts: [], commands: [command('price', 'What it costs')] })).toEqual([200, undefined])
  expect(await settings().read(instance)).toEqual({
    iceBreakers: [],
    commands: [{ name: 'price', hint: 'What it costs' }],
  })
})

test('a refusal contains Meta’s message', async () => {
  const wish = { iceBreakers: ['x'.repeat(81)], commands: [] }
  await expect(settings().set(instance, wish)).rejects.toThrow('prompts can have 80 characters at most')
})
