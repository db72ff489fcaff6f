import { expect, test } from 'vitest'
import { createAlarms } from '../../../main/engines/alarms.ts'
import { createConnectQueue } from '../../../main/engines/smv2/connect-queue.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { fakeClock } from '../../support/clock.ts'

test('lines connect one after the other, also when somebody sets the clock back', async () => {
  const clock = fakeClock()
  const gate = createConnectQueue(clock, createAlarms(clock))
  const connected: string[] = []
  const connect = (id: string) => void gate.waitForTurn(id as InstanceId).then(() => connected.push(id))
  connect('one')
  connect('two')
  clock.set(clock.now() - 3_600_000)
  connect('three')
  await clock.advance(0)
  expect(connected).toEqual(['one'])
  await clock.advance(20)
  expect(connected).toEqual(['one', 'two'])
  await clock.advance(20)
  expect(connected).toEqual(['one', 'two', 'three'])
})
