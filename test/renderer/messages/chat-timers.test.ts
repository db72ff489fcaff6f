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

test('a chat is not asked about again within seconds', async () => {
  seconds = 0
  const timers = useChatTimers()
  await timers.load('i1', '12025550123')
  await timers.load('i1', '12025550123')
  expect(asked).toHaveLength(1)
})
