import { expect, test } from 'vitest'
import { createDownloadSlots } from '../../../main/engines/smv2/download-slots.ts'
import type { AccountId, InstanceId } from '../../../main/kernel/ids.ts'

/** Downloads that end when told to. */
function downloads() {
  const withSlot = createDownloadSlots()
  const active: { instance: string; end(): void }[] = []
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
      return promise
    })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const running = () => active.map(({ instance }) => instance).toSorted()
  return { active, start, settle, running }
}

test('a number with a hundred slow files leaves slots for the others', async () => {
  const { start, settle, running } = downloads()
  for (let i = 0; i < 100; i++) void start('busy')
  void start('quiet')
  await settle()
  expect(running()).toEqual(['busy', 'busy', 'quiet'])
})

test('an account with many numbers leaves slots for the others', async () => {
  const { start, settle, running } = downloads()
  for (const instance of ['a', 'b', 'c', 'd']) for (let i = 0; i < 5; i++) void start(instance, 'busy')
  void start('quiet')
  await settle()
  expect(running()).toEqual(['a', 'a', 'b', 'b', 'quiet'])
})

test('free slots go to the numbers in turn, and never more than six are in use', async () => {
  const { active, start, settle, running } = downloads()
  for (const instance of ['a', 'b', 'c', 'd', 'e']) for (let i = 0; i < 3; i++) void start(instance)
  await settle()
  expect(running()).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
  active.find(({ instance }) => instance === 'a')?.end()
  await settle()
  expect(running()).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
  active.find(({ instance }) => instance === 'b')?.end()
  await settle()
  active.find(({ instance }) => instance === 'c')?.end()
  await settle()
  const order: string[] = []
  while (active.length > 0) {
    order.push(active[0]?.instance ?? '')
    active[0]?.end()
    await settle()
  }
  expect(order.length + 3).toBe(15)
  for (const instance of ['d', 'e']) expect(order.filter((each) => each === instance)).toHaveLength(3)
})
