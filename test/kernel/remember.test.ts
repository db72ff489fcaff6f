import { expect, it } from 'vitest'
import { remember } from '../../main/kernel/remember.ts'

it('computes each text once', () => {
  const asked: string[] = []
  const length = remember(10, (text) => {
    asked.push(text)
    return text.length
  })

  expect([length('one'), length('three'), length('one')]).toEqual([3, 5, 3])
  expect(asked).toEqual(['one', 'three'])
})

it('remembers an undefined result', () => {
  let computed = 0
  const nothing = remember<undefined>(10, () => {
    computed++
    return undefined
  })

  expect([nothing('a'), nothing('a')]).toEqual([undefined, undefined])
  expect(computed).toBe(1)
})

it('forgets all texts when the limit is reached', () => {
  const asked: string[] = []
  const same = remember(2, (text) => {
    asked.push(text)
    return text
  })

  for (const text of ['a', 'b', 'c', 'c', 'a']) expect(same(text)).toBe(text)
  expect(asked).toEqual(['a', 'b', 'c', 'a'])
})
