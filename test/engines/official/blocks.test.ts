import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DirectActs } from '../../../main/engines/direct.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { ANA, graphWorld, HIDDEN, soon, type GraphWorld } from './graph-world.ts'

const OURS = '12025550100'
const STRANGER = '12025550199'

let world: GraphWorld
let us: EngineInstance
beforeAll(async () => {
  world = await graphWorld()
  us = await world.connect(await world.number(OURS))
})
afterAll(() => world.close())

const act = <K extends keyof DirectActs>(name: K): DirectActs[K] => {
  const found = world.official.engine.direct?.[name]
  if (!found) throw new Error(`official cannot ${name}`)
  return found
}
const listed = async () => (await act('blocked')(us, { limit: 50, after: null })).people
const say = (from: string, text: string) =>
  world.network.speak(world.accountId, from, { to: OURS, group: null, content: { type: 'text', text } })
const texts = () => world.of(us, 'received').map(({ text }) => text)

test('a person is blocked and unblocked at Meta, one who hides their number by id', async () => {
  await act('block')(us, ANA, true)
  await act('block')(us, `US.${HIDDEN}`, true)
  expect((await listed()).toSorted()).toEqual([ANA, `US.${HIDDEN}`])
  await say(ANA, 'while blocked')
  await act('block')(us, ANA, false)
  await act('block')(us, ANA, false)
  await say(ANA, 'after')
  await soon('heard', () => texts().includes('after'))
  expect(texts()).not.toContain('while blocked')
  expect(await listed()).toEqual([`US.${HIDDEN}`])
  await act('block')(us, `US.${HIDDEN}`, false)
})

test('the list is read page by page', async () => {
  await act('block')(us, ANA, true)
  await act('block')(us, `US.${HIDDEN}`, true)
  const first = await act('blocked')(us, { limit: 1, after: null })
  expect(first.people).toHaveLength(1)
  const second = await act('blocked')(us, { limit: 1, after: first.after })
  expect(second).toMatchObject({ people: [expect.any(String)], after: null })
  expect([...first.people, ...second.people].toSorted()).toEqual([ANA, `US.${HIDDEN}`])
})

test.each([
  ['somebody who has not written lately', STRANGER, /131047/],
  ['itself', OURS, /131021/],
])('%s cannot be blocked, and the error gives the reason', async (_, phone, words) => {
  await expect(act('block')(us, phone, true)).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(act('block')(us, phone, true)).rejects.toThrow(words)
})

test('typing is shown under the person’s newest message, and never without one', async () => {
  await soon('heard', () => world.of(us, 'received').length > 0)
  const engineMessageId = world.of(us, 'received')[0]?.engineMessageId ?? ''
  const message = { engineMessageId, chat: ANA, isOwn: false, participant: null }
  await act('showTyping')(us, ANA, 'typing', message)
  await expect(act('showTyping')(us, ANA, 'typing', { ...message, engineMessageId: 'wamid.none' })).rejects.toThrow(
    /131009/,
  )
  await expect(act('showTyping')(us, ANA, 'typing', null)).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(act('showTyping')(us, ANA, 'paused', message)).rejects.toMatchObject({ code: 'engine_mismatch' })
})
