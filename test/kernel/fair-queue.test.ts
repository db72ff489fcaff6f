import { describe, expect, test } from 'vitest'
import { createFairQueue } from '../../main/kernel/fair-queue.ts'

const all = <T>(queue: { next(): T | undefined }) => {
  const items: T[] = []
  for (let item = queue.next(); item !== undefined; item = queue.next()) items.push(item)
  return items
}

describe('a fair queue', () => {
  test('serves owners in turn, and the items of each owner in order', () => {
    const queue = createFairQueue<string>({ inAll: 100, perOwner: 10 })
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) expect(queue.add(item.slice(0, 1), item)).toBeUndefined()
    expect(queue.next()).toBe('a1')
    queue.add('d', 'd1')
    expect(all(queue)).toEqual(['b1', 'c1', 'a2', 'd1', 'c2', 'a3'])
  })

  test('serves an owner who was just served after the others', () => {
    const queue = createFairQueue<string>({ inAll: 100, perOwner: 10 })
    queue.add('a', 'a1')
    queue.next()
    for (const item of ['a2', 'b1']) queue.add(item.slice(0, 1), item)
    expect(all(queue)).toEqual(['b1', 'a2'])
  })

  test('refuses items of an owner above its limit, and still accepts those of others', () => {
    const queue = createFairQueue<string>({ inAll: 100, perOwner: 2 })
    queue.add('a', 'a1')
    queue.add('a', 'a2')
    expect(queue.add('a', 'a3')).toBe('a3')
    expect(queue.add('b', 'b1')).toBeUndefined()
    queue.next()
    expect(queue.add('a', 'a4')).toBeUndefined()
  })

  test('makes room when full for an owner with few items, by dropping an item of the owner with the most', () => {
    const queue = createFairQueue<string>({ inAll: 5, perOwner: 4 })
    for (const item of ['a1', 'a2', 'a3', 'b1', 'b2']) queue.add(item.slice(0, 1), item)
    expect(queue.add('c', 'c1')).toBe('a3')
    expect(queue.add('d', 'd1')).toBe('a2')
    expect(all(queue)).toEqual(['a1', 'b1', 'c1', 'd1', 'b2'])
  })

  test('when full, refuses an item of an owner that has as many items as every other', () => {
    const queue = createFairQueue<string>({ inAll: 3, perOwner: 4 })
    for (const item of ['a1', 'b1', 'c1']) queue.add(item.slice(0, 1), item)
    expect(queue.add('a', 'a2')).toBe('a2')
    expect(queue.add('d', 'd1')).toBe('d1')
    expect(all(queue)).toEqual(['a1', 'b1', 'c1'])
  })

  test('drops items that are removed, and all items when it is cleared', () => {
    const queue = createFairQueue<string>({ inAll: 3, perOwner: 3 })
    for (const item of ['a1', 'a2', 'b1']) queue.add(item.slice(0, 1), item)
    expect([queue.remove('a1'), queue.remove('a1'), queue.remove('b1')]).toEqual([true, false, true])
    expect([queue.add('c', 'c1'), queue.add('c', 'c2')]).toEqual([undefined, undefined])
    expect(queue.clear()).toEqual(['a2', 'c1', 'c2'])
    expect(queue.next()).toBeUndefined()
    expect(['d1', 'd2', 'd3'].map((item) => queue.add('d', item))).toEqual([undefined, undefined, undefined])
  })
})
