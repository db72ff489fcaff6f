import { expect, test } from 'vitest'
import { createNoticeBus } from '../../main/kernel/notice-bus.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { fakeClock } from '../support/clock.ts'

interface TestNotice {
  readonly topic: string
  readonly id?: string
}

const [MINE, OTHERS] = ['mine', 'others'] as AccountId[] as [AccountId, AccountId]

function setUp() {
  const clock = fakeClock()
  const bus = createNoticeBus<TestNotice>(clock)
  const live = {
    ...bus.feed({ accountId: MINE, isOperator: false }),
    publish: (notice: TestNotice) => bus.publish(MINE, notice),
    close: bus.close,
  }
  const heard: string[] = []
  live.subscribe(({ notice }) => heard.push(`${notice.topic} ${notice.id ?? ''}`.trim()))
  return { clock, bus, live, heard }
}

test('a notice is delivered immediately to all subscribers, and to none that unsubscribed', () => {
  const { live, heard } = setUp()
  const others: unknown[] = []
  const leave = live.subscribe((told) => others.push(told))
  live.publish({ topic: 'keys', id: '1' })
  leave()
  live.publish({ topic: 'keys', id: '2' })
  expect(heard).toEqual(['keys 1', 'keys 2'])
  expect(others).toHaveLength(1)
})

test('repeated notices are delivered at most five times a second, and the last is never lost', async () => {
  const { clock, live, heard } = setUp()
  for (let ms = 0; ms < 1_000; ms += 10) {
    live.publish({ topic: 'messages' })
    await clock.advance(10)
  }
  const during = heard.length
  expect(during).toBeGreaterThanOrEqual(4)
  expect(during).toBeLessThanOrEqual(6)
  await clock.advance(300)
  expect(heard.length).toBeLessThanOrEqual(during + 1)
  await clock.advance(5_000)
  expect(clock.waiting()).toBe(0)
})

test('a change within the quiet period is delivered within 250 ms', async () => {
  const { clock, live, heard } = setUp()
  live.publish({ topic: 'keys' })
  await clock.advance(5)
  live.publish({ topic: 'keys' })
  expect(heard).toHaveLength(1)
  await clock.advance(245)
  expect(heard).toHaveLength(2)
  live.close()
})

test('a client gets up to 1,000 missed notices in order, and undefined after more', () => {
  const { live } = setUp()
  const from = live.latest()
  for (let i = 1; i <= 5_000; i++) live.publish({ topic: 'keys', id: String(i) })
  expect(live.latest()).toBe(from + 5_000)
  expect(live.since(live.latest())).toEqual([])
  expect(live.since(from + 4_998)?.map(({ id, notice }) => [id, notice.id])).toEqual([
    [from + 4_999, '4999'],
    [from + 5_000, '5000'],
  ])
  expect(live.since(from + 4_000)).toHaveLength(1_000)
  expect(live.since(from + 3_999)).toBeUndefined()
  expect(live.since(from)).toBeUndefined()
  live.close()
})

test('sequence numbers of an earlier process are not accepted', async () => {
  const { clock, live } = setUp()
  live.publish({ topic: 'keys' })
  const before = live.latest()
  live.close()
  await clock.advance(1_000)
  const bus = createNoticeBus<TestNotice>(clock)
  const next = bus.feed({ accountId: MINE, isOperator: false })
  expect(next.since(before)).toBeUndefined()
  bus.publish(MINE, { topic: 'keys' })
  expect(next.since(before)).toBeUndefined()
  expect(next.since(next.latest() + 1)).toBeUndefined()
  bus.close()
})

test('a notice reaches only subscribers of its account, and its number reveals nothing about other accounts', () => {
  const { bus, live, heard } = setUp()
  const others: string[] = []
  const theirs = bus.feed({ accountId: OTHERS, isOperator: true })
  theirs.subscribe(({ notice }) => others.push(notice.topic))
  const from = live.latest()
  for (let i = 1; i <= 5_000; i++) bus.publish(OTHERS, { topic: 'messages', id: String(i) })
  live.publish({ topic: 'keys' })
  expect(heard).toEqual(['keys'])
  expect(others).toHaveLength(5_000)
  expect(live.since(from)).toEqual([{ id: from + 1, notice: { topic: 'keys' }, isForOperators: false }])
  expect(theirs.since(theirs.latest() - 1)).toHaveLength(1)
  bus.close()
})

test('notices about the computer reach operators of every account, and no member', () => {
  const { bus, live, heard } = setUp()
  const operators: string[] = []
  for (const accountId of [MINE, OTHERS])
    bus.feed({ accountId, isOperator: true }).subscribe(({ notice }) => operators.push(`${accountId} ${notice.topic}`))
  const from = live.latest()
  bus.publish(null, { topic: 'service' })
  expect(operators).toEqual(['mine service', 'others service'])
  expect(heard).toEqual([])
  expect(live.since(from)).toEqual([])
  expect(bus.feed({ accountId: MINE, isOperator: true }).since(from)).toHaveLength(1)
  bus.close()
})

test('an account without subscribers for an hour starts over, with higher numbers', async () => {
  const { clock, bus } = setUp()
  const accountId = 'closed' as AccountId
  const leave = bus.feed({ accountId, isOperator: false }).subscribe(() => {})
  for (let i = 1; i <= 10_000; i++) bus.publish(accountId, { topic: 'keys', id: String(i) })
  const before = bus.feed({ accountId, isOperator: false }).latest()
  leave()
  await clock.advance(59 * 60_000)
  bus.feed({ accountId: OTHERS, isOperator: false })
  expect(bus.feed({ accountId, isOperator: false }).since(before)).toEqual([])
  await clock.advance(60_000)
  clock.set(0)
  bus.feed({ accountId: 'new' as AccountId, isOperator: false })
  const again = bus.feed({ accountId, isOperator: false })
  expect(again.since(before)).toBeUndefined()
  bus.publish(accountId, { topic: 'keys' })
  expect(again.since(before - 1)).toBeUndefined()
  bus.close()
})
