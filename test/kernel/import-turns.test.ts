import { expect, test } from 'vitest'
import type { AccountId } from '../../main/kernel/ids.ts'
import { createImportTurns } from '../../main/kernel/import-turns.ts'

test('one portion is written at a time, and an account with many imports waits for the others', async () => {
  const inTurn = createImportTurns()
  const order: string[] = []
  let writing = 0
  const write = (account: string) =>
    inTurn(account as AccountId, async () => {
      expect(++writing).toBe(1)
      order.push(account)
      await new Promise((resolve) => setImmediate(resolve))
      writing--
    })
  await Promise.all([...['a', 'a', 'a', 'a'], 'b', 'c'].map(write))
  expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'a'])
})

test('a portion that fails lets the next one write', async () => {
  const inTurn = createImportTurns()
  await expect(inTurn('a' as AccountId, () => Promise.reject(new Error('full')))).rejects.toThrow('full')
  expect(await inTurn('b' as AccountId, async () => 1)).toBe(1)
})
