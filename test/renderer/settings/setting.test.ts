import { describe, expect, test } from 'vitest'
import { fieldOf, pick, textOf, valueOf } from '../../../renderer/rooms/settings/setting.ts'

const NONE = { choices: null, usual: null }

describe('a setting', () => {
  test('is a choice, one number or several numbers', () => {
    expect(fieldOf({ ...NONE, choices: ['sandbox', 'live'] })).toBe('choice')
    expect(fieldOf({ ...NONE, usual: 600 })).toBe('number')
    expect(fieldOf({ ...NONE, usual: [1, 2] })).toBe('numbers')
    expect(fieldOf(NONE)).toBe('text')
  })

  test.each([
    ['number', '600', 600],
    ['number', ' 0.5 ', 0.5],
    ['number', '', undefined],
    ['number', 'many', undefined],
    ['number', '6 0', undefined],
    ['numbers', '10, 60,600', [10, 60, 600]],
    ['numbers', '10; 60  600', [10, 60, 600]],
    ['numbers', '10, x', undefined],
    ['numbers', '', undefined],
    ['text', ' https://a.example ', 'https://a.example'],
    ['text', ' ', undefined],
    ['choice', 'live', 'live'],
    ['choice', '', undefined],
  ] as const)('parses a %s “%s” as %o', (field, text, value) => {
    expect(valueOf(field, text)).toEqual(value)
  })

  test('is shown as it is parsed', () => {
    expect(valueOf('numbers', textOf([10, 0.5]))).toEqual([10, 0.5])
    expect(valueOf('number', textOf(4780))).toBe(4780)
    expect(textOf(null)).toBe('')
  })
})

test('shows the named settings in order', () => {
  const setting = (name: string) => ({ name }) as never
  expect(pick([setting('a'), setting('b'), setting('c')], ['c', 'x', 'a'])).toEqual([{ name: 'c' }, { name: 'a' }])
  expect(pick(undefined, ['a'])).toEqual([])
})
