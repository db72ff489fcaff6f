import { expect, test } from 'vitest'
import type { AccountId } from '../../main/kernel/ids.ts'
import { createImportTurns } from '../../main/kernel/import-turns.ts'

const lasting = new AbortController().signal

test('writes one batch at a time, and lets other accounts go before one with many imports', async () => {
  const inTurn = createImportTurns()
  const order: string[] = []
  let writing = 0
  const write = (account: string) =>
    inTurn(account as AccountId, lasting, async () => {
      expect(++writing).toBe(1)
      order.push(account)
      await new Promise((resolve) => setImmediate(resolve))
      writing--
    })
  await Promise.all([...['a', 'a', 'a', 'a'], 'b', 'c'].map(write))
  expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'a'])
})

test('a batch that fails does not block the next', async () => {
  const inTurn = createImportTurns()
  await expect(inTurn('a' as AccountId, lasting, () => Promise.reject(new Error('full')))).rejects.toThrow('full')
  expect(await inTurn('b' as AccountId, lasting, async () => 1)).toBe(1)
})

test('a waiting batch is not written once the access of its caller has ended', async () => {
  const inTurn = createImportTurns()
  const ending = new AbortController()
  const written: string[] = []
  const write = (name: string, ended: AbortSignal) =>
    inTurn('a' as AccountId, ended, async () => void written.push(name))
  const first = inTurn('a' as AccountId, lasting, async () => ending.abort(new Error('ended')))
  const second = write('second', ending.signal)
  const third = write('third', lasting)
  await expect(second).rejects.toThrow('ended')
  await Promise.all([first, third])
  expect(written).toEqual(['third'])
})
