import { expect, test } from 'vitest'
import { createAlarms } from '../../../main/engines/alarms.ts'
import type { EngineSignal } from '../../../main/engines/engine.ts'
import { createSignalOutbox } from '../../../main/engines/smv2/signal-outbox.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { fakeClock } from '../../support/clock.ts'

const ID = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60' as InstanceId
const signal = (attempt: number): EngineSignal => ({ kind: 'qr', attempt, expiresAtMs: 0 })

/** @param take what the rooms do with the nth signal they are told. */
function telling(take: (nth: number) => Promise<undefined>) {
  const clock = fakeClock()
  const told: EngineSignal[] = []
  const sink = (_: InstanceId, each: EngineSignal) => take(told.push(each))
  const teller = createSignalOutbox({ clock, alarms: createAlarms(clock), log: silentLog, sink })
  return { clock, told, teller }
}

test('a signal that is added when the last one was just accepted is reported', async () => {
  const { promise: taken, resolve: take } = Promise.withResolvers<undefined>()
  const { clock, told, teller } = telling(() => taken)
  teller.add(ID, signal(1))
  // As whoever shares a commit with what was told, and hears of it right after.
  void taken.then(() => teller.add(ID, signal(2)))
  take(undefined)
  await clock.advance(0)
  expect(told).toEqual([1, 2].map(signal))
})

test('a refused signal is reported again a second later, before any other', async () => {
  const { clock, told, teller } = telling((nth) =>
    nth === 1 ? Promise.reject(new Error('the storage is full')) : Promise.resolve(undefined),
  )
  teller.add(ID, signal(1))
  await clock.advance(999)
  expect(told).toEqual([signal(1)])
  await clock.advance(1)
  teller.add(ID, signal(2))
  await clock.advance(0)
  expect(told).toEqual([1, 1, 2].map(signal))
})
