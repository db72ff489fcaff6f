import { describe, expect, test } from 'vitest'
import { linesOf, readableResult, withoutId, type FactWords } from '../../../renderer/rooms/assistants/fact-lines.ts'

const words: FactWords = {
  label: (name) => `[${name}]`,
  entry: (position) => `entry ${position}`,
  flag: (isSet) => (isSet ? 'yes' : 'no'),
  number: (value) => `#${value}`,
  text: (value, name) => (name === 'phone' ? `person ${value}` : value),
  nothing: 'nothing',
  money: (value, unit, currency) => `${value} ${unit} of ${currency}`,
  more: (count) => `and ${count} more`,
}
const shown = (value: unknown) =>
  linesOf(value, words).map(({ depth, label, text }) => `${'  '.repeat(depth)}${label} ${text}`.trimEnd())

describe('an argument with fields', () => {
  test('is a list of its fields with nested fields below', () => {
    expect(
      shown({ window: { start: '09:00', days: ['mon', 'tue'] }, typing: true, hourlyLimit: 80, budget: null }),
    ).toEqual([
      ...['[window]', '  [start] 09:00', '  [days] mon, tue', '[typing] yes', '[hourlyLimit] #80'],
      // To remove a budget is a change, too.
      '[budget] nothing',
    ])
  })

  test('names people, and counts the entries of a list', () => {
    expect(shown([{ phone: '12025550101' }, { phone: '12025550102', tags: [] }])).toEqual([
      'entry 1',
      '  [phone] person 12025550101',
      'entry 2',
      '  [phone] person 12025550102',
      '  [tags]',
    ])
  })

  test('does not count the only entry of a list', () => {
    expect(shown([{ menu: [{ rows: [{ title: 'Visit' }] }] }])).toEqual(['[menu]', '  [rows]', '    [title] Visit'])
  })

  test('shows invisible characters and the number of omitted lines', () => {
    expect(shown({ text: 'Pay\u202Enow' })).toEqual(['[text] Pay\\u{202E}now'])
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, n]))
    expect(shown(many)).toHaveLength(41)
    expect(shown(many).at(-1)).toBe(' and 10 more')
  })
})

test('an amount is shown with its currency', () => {
  expect(shown({ budget: { amount_micros: 5_000_000, currency: 'usd', warn_percent: 80 } })).toEqual([
    ...['[budget]', '  [amount_micros] 5000000 micros of usd', '  [warn_percent] #80'],
  ])
  expect(shown({ refunded_cents: 900, currency: 'brl' })).toEqual(['[refunded_cents] 900 cents of brl'])
  expect(shown({ amount_micros: 5, currency: 'not one' })).toEqual(['[amount_micros] #5', '[currency] not one'])
})

test('shows a result without empty fields and ids of unnamed things', () => {
  const [NAMED, UNNAMED] = ['0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10', 'msg_01M8PQSHVWTBDC2NFYWNZJWPE4']
  const result = {
    ...{ id: NAMED, name: 'Bakery', message_id: UNNAMED, agent_id: NAMED, external_ref: null, tags: [], note: '' },
    ...{ deleted: true, counts: { sent: 0, failed: null }, instance_ids: [NAMED, UNNAMED], metadata: {} },
  }
  expect(readableResult(result, (id) => id === NAMED)).toEqual({
    ...{ name: 'Bakery', agent_id: NAMED, deleted: true, counts: { sent: 0 }, instance_ids: [NAMED] },
  })
  expect(readableResult({ message_id: UNNAMED }, () => false)).toBeUndefined()
  expect(readableResult(null, () => false)).toBeUndefined()
})

describe('the name of a call’s subject', () => {
  const ID = '0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10'

  test.each([
    [`“Front desk” (12025550100, ${ID})`, '“Front desk” (12025550100)'],
    [`“Front desk” (${ID})`, '“Front desk” (…7e10)'],
    ['“Spring offer” (cmp_01M8PQSHVWTBDC2NFYWNZJWPE4)', '“Spring offer” (…WPE4)'],
    [ID, ID],
    ['“Bakery (old)”', '“Bakery (old)”'],
  ])('%s is shown as %s', (label, text) => {
    expect(withoutId(label)).toBe(text)
  })
})
