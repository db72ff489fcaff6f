import { expect, test } from 'vitest'
import { createConcurrencyLimiter } from '../../main/kernel/concurrency-limiter.ts'
import type { AccountId, InstanceId } from '../../main/kernel/ids.ts'

const account = (name: string) => ({ accountId: name as AccountId })
const instance = (of: string, id: string) => ({ accountId: of as AccountId, id: id as InstanceId })

test('one account cannot take the slots that other accounts need', () => {
  const limiter = createConcurrencyLimiter({ inAll: 5, perAccount: 3 })
  const busy = Array.from({ length: 10 }, () => limiter.acquire(account('busy')))
  expect(busy.filter((slot) => slot !== undefined)).toHaveLength(3)
  expect(limiter.acquire(account('other'))).toBeDefined()
  expect(limiter.acquire(account('third'))).toBeDefined()
  expect(limiter.acquire(account('fourth'))).toBeUndefined()
})

test('one instance cannot take the slots that other instances of its account need', () => {
  const limiter = createConcurrencyLimiter({ inAll: 10, perAccount: 4, perInstance: 2 })
  const busy = Array.from({ length: 5 }, () => limiter.acquire(instance('one', 'busy')))
  expect(busy.filter((slot) => slot !== undefined)).toHaveLength(2)
  expect(limiter.acquire(instance('one', 'other'))).toBeDefined()
})

test('a released slot can be acquired again, and releasing it twice frees only one slot', () => {
  const limiter = createConcurrencyLimiter({ inAll: 2, perAccount: 1 })
  const slot = limiter.acquire(account('one'))
  expect(limiter.acquire(account('one'))).toBeUndefined()
  slot?.release()
  slot?.release()
  expect(limiter.acquire(account('one'))).toBeDefined()
  expect(limiter.acquire(account('one'))).toBeUndefined()
})

test('one account may hold half of the bytes, counted as they become known', () => {
  const limiter = createConcurrencyLimiter({ inAll: 10, perAccount: 10, bytes: 100 })
  const large = limiter.acquire(account('one'), 50)
  expect(limiter.acquire(account('one'), 1)).toBeUndefined()
  expect(limiter.acquire(account('other'), 50)).toBeDefined()
  expect(limiter.acquire(account('third'), 1)).toBeUndefined()
  large?.setBytes(10)
  // A quarter is left to accounts that hold nothing.
  expect(limiter.acquire(account('one'), 16)).toBeUndefined()
  expect(limiter.acquire(account('one'), 15)).toBeDefined()
  large?.release()
  expect(limiter.acquire(account('third'), 10)).toBeDefined()
})
