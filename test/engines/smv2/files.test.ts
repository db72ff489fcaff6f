import { expect, test } from 'vitest'
import { createDownloadSlots } from '../../../main/engines/smv2/download-slots.ts'
import type { AccountId, InstanceId } from '../../../main/kernel/ids.ts'

/** Downloads that end when told to. */
function downloads() {
  const withSlot = createDownloadSlots()
  const active: { instance: string; end(): void }[] = []
  const started: string[] = []
  /** @param account default: one for each number. */
  const start = (instance: string, account = instance) =>
    withSlot({ id: instance as InstanceId, accountId: account as AccountId }, () => {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      const entry = {
        instance,
        end() {
          active.splice(active.indexOf(entry), 1)
          resolve(undefined)
        },
      }
      active.push(entry)
      started.push(instance)
      return promise
    })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const running = () => active.map(({ instance }) => instance).toSorted()
  return { active, started, start, settle, running }
}

test('a number with a hundred slow files leaves slots for other numbers', async () => {
  const { start, settle, running } = downloads()
  for (let i = 0; i < 100; i++) void start('busy')
  void start('quiet')
  await settle()
  expect(running()).toEqual(['busy', 'busy', 'quiet'])
})

test('an account with many numbers leaves slots for other accounts', async () => {
  const { start, settle, running } = downloads()
  for (const instance of ['a', 'b', 'c', 'd']) for (let i = 0; i < 5; i++) void start(instance, 'busy')
  void start('quiet')
  await settle()
  expect(running()).toEqual(['a', 'a', 'b', 'b', 'quiet'])
})

test('free slots go to accounts in turn, and to the numbers of each in turn, twelve at most', async () => {
  const { active, started, start, settle, running } = downloads()
  const numbers = Array.from({ length: 7 }, (_, account) => [`${account} a`, `${account} b`]).flat()
  for (const number of numbers) for (let i = 0; i < 3; i++) void start(number, number.slice(0, 1))
  await settle()
  expect(new Set(running().map((number) => number.slice(0, 1))).size).toBe(7)
  let most = 0
  while (active.length > 0) {
    most = Math.max(most, active.length)
    active[0]?.end()
    await settle()
  }
  expect(most).toBeLessThanOrEqual(12)
  expect(started).toHaveLength(7 * 2 * 3)
  // The last to have its first.
  expect(Math.max(...numbers.map((number) => started.indexOf(number)))).toBeLessThan((started.length * 2) / 3)
})
