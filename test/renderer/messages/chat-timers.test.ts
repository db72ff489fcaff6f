import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test, vi } from 'vitest'
import { useChatTimers } from '../../../renderer/rooms/messages/chat-timers.ts'

const asked: string[] = []
let seconds: unknown

beforeEach(() => {
  setActivePinia(createPinia())
  asked.length = 0
  vi.stubGlobal('fetch', async (url: string, { body }: RequestInit) => {
    asked.push(`${url} ${body as string}`)
    const result = { to: '12025550123', disappearing_seconds: seconds }
    return seconds === 'fails' ? new Response(null, { status: 500 }) : Response.json({ engine: 'smv2', result })
  })
  return () => vi.unstubAllGlobals()
})

test.each([
  [604_800, 7],
  [86_400, 1],
  [3_600, 1],
  [0, 0],
  ['fails', 0],
])('a timer of %s seconds is shown as %s days', async (given, days) => {
  seconds = given
  const timers = useChatTimers()
  expect(timers.days('i1', '12025550123')).toBe(0)
  await timers.load('i1', '12025550123')
  expect(timers.days('i1', '12025550123')).toBe(days)
  expect(timers.days('i1', '12025550124')).toBe(0)
  expect(asked).toEqual(['/panel/v1/instances/i1/engine/smv2/chat/info {"to":"12025550123"}'])
})

test('does not reload the timer of a chat within seconds', async () => {
  seconds = 0
  const timers = useChatTimers()
  await timers.load('i1', '12025550123')
  await timers.load('i1', '12025550123')
  expect(asked).toHaveLength(1)
})

test('sets a timer and shows it without reloading', async () => {
  seconds = 0
  const timers = useChatTimers()
  await timers.load('i1', '12025550123')
  await timers.set('i1', '12025550123', 604_800)
  expect(timers.of('i1', '12025550123')).toBe(604_800)
  await timers.load('i1', '12025550123')
  expect(timers.days('i1', '12025550123')).toBe(7)
  expect(asked.slice(1)).toEqual([
    '/panel/v1/instances/i1/engine/smv2/chat/disappearing {"to":"12025550123","seconds":604800}',
  ])
})

test('keeps the old timer if the new one is refused', async () => {
  seconds = 86_400
  const timers = useChatTimers()
  await timers.load('i1', '12025550123')
  seconds = 'fails'
  await expect(timers.set('i1', '12025550123', 0)).rejects.toMatchObject({ status: 500 })
  expect(timers.of('i1', '12025550123')).toBe(86_400)
})
