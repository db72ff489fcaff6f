import { expect, test } from 'vitest'
import { createAlarms } from '../../../main/engines/alarms.ts'
import { createConnectQueue } from '../../../main/engines/smv2/connect-queue.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { fakeClock } from '../../support/clock.ts'
import { BUSY, OTHER } from '../../support/jobs.ts'

function queue() {
  const clock = fakeClock()
  const gate = createConnectQueue(clock, createAlarms(clock))
  const connected: string[] = []
  const connect = (id: string, accountId = BUSY) =>
    void gate.waitForTurn({ id: id as InstanceId, accountId }).then(() => connected.push(id))
  return { clock, connected, connect }
}

test('numbers connect one after the other, even if the clock is set back', async () => {
  const { clock, connected, connect } = queue()
  connect('one')
  connect('two')
  clock.set(clock.now() - 3_600_000)
  connect('three')
  await clock.advance(0)
  expect(connected).toEqual(['one'])
  await clock.advance(12)
  expect(connected).toEqual(['one', 'two'])
  await clock.advance(12)
  expect(connected).toEqual(['one', 'two', 'three'])
})

test('after the process was suspended, numbers do not connect all at the same time', async () => {
  const { clock, connected, connect } = queue()
  for (const id of ['one', 'two', 'three', 'four']) connect(id)
  clock.set(clock.now() + 5_000)
  await clock.advance(12)
  expect(connected).toEqual(['one', 'two'])
})

test('a number that requests to connect again keeps its place and connects once', async () => {
  const { clock, connected, connect } = queue()
  for (const id of ['one', 'two', 'three', 'two']) connect(id)
  await clock.advance(100)
  expect(connected).toEqual(['one', 'two', 'three'])
  connect('four')
  await clock.advance(0)
  expect(connected).toEqual(['one', 'two', 'three', 'four'])
})

test('an account with a thousand waiting numbers lets the number of another account connect next', async () => {
  const { clock, connected, connect } = queue()
  for (let line = 0; line < 1_000; line++) connect(`busy ${line}`)
  await clock.advance(50)
  const before = connected.length
  connect('other', OTHER)
  await clock.advance(24)
  expect(connected.slice(before)).toContain('other')
  await clock.advance(1_000 * 12)
  expect(connected).toHaveLength(1_001)
})
