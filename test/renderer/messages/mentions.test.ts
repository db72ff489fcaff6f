import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../../main/contract/limits.ts'
import {
  insertMention,
  matching,
  membersOf,
  mentionQuery,
  mentionsIn,
  withMentions,
  withNames,
  type Member,
} from '../../../renderer/rooms/messages/mentions.ts'

const ANA: Member = { number: '12025550101', name: 'Ana Souza' }
const JOAO: Member = { number: '5511987654321', name: 'João Prado' }
const NOBODY: Member = { number: '12025550103', name: null }
const ALL = [ANA, JOAO, NOBODY]

describe('the mention being typed', () => {
  test.each([
    ['@', { start: 0, words: '' }],
    ['Hello @an', { start: 6, words: 'an' }],
    ['Hello\n@an', { start: 6, words: 'an' }],
    ['Hello @ana you', undefined],
    ['ana@example.com', undefined],
    ['@@', undefined],
    ['Hello', undefined],
    [`@${'a'.repeat(31)}`, undefined],
  ])('%j', (text, query) => {
    expect(mentionQuery(text, text.length)).toEqual(query)
  })

  test('uses only the text before the caret', () => {
    expect(mentionQuery('Hi @ana and more', 5)).toEqual({ start: 3, words: 'a' })
  })
})

describe('the suggestions', () => {
  test.each([
    ['', ALL],
    ['ana', [ANA]],
    ['JOAO', [JOAO]],
    ['prado', [JOAO]],
    ['2025550', [ANA, NOBODY]],
    ['zoe', []],
  ])('%j', (words, members) => {
    expect(matching(ALL, words)).toEqual(members)
  })

  test('lists names that begin with the typed text first', () => {
    const banana: Member = { number: '12025550104', name: 'Banana Bar' }
    expect(matching([banana, ANA], 'ana')).toEqual([ANA, banana])
  })

  test('lists all members except the number itself and hidden ones, named ones first', () => {
    const messages = [
      { sender: ANA.number, push_name: 'Ana' },
      { sender: ANA.number, push_name: ANA.name },
      { sender: null, push_name: null },
    ]
    const numbers = [NOBODY.number, '12025550100', 'US.123', ANA.number]
    expect(membersOf(numbers, messages, '12025550100')).toEqual([ANA, NOBODY])
    const known = (number: string) => (number === NOBODY.number ? 'Nina Costa' : undefined)
    expect(membersOf(numbers, messages, '12025550100', known)).toEqual([{ ...NOBODY, name: 'Nina Costa' }, ANA])
  })
})

describe('a mention in the text', () => {
  test('replaces the typed text and puts the caret after it', () => {
    const text = 'Hello @an, and more'
    const query = mentionQuery(text, 9)
    if (query === undefined) throw new Error('nothing is being typed')
    expect(insertMention(text, 9, query, ANA)).toEqual({ text: 'Hello @12025550101 , and more', caret: 19 })
    expect(insertMention('@an more', 3, { start: 0, words: 'an' }, ANA).text).toBe('@12025550101 more')
  })

  test('is found by its number', () => {
    expect(mentionsIn('Hi @12025550101 and @5511987654321', ALL)).toEqual([ANA, JOAO])
    expect(mentionsIn('12025550101 @1202555010 @120255501010', ALL)).toEqual([])
  })

  test('is sent in a text or caption only', () => {
    expect(withMentions({ to: 'g', text: 'Hi @12025550101' }, ALL)).toMatchObject({ mentions: [ANA.number] })
    expect(withMentions({ to: 'g', media_url: 'u', caption: '@12025550101' }, ALL)).toMatchObject({
      mentions: [ANA.number],
    })
    expect(withMentions({ to: 'g', text: 'Hi' }, ALL)).toEqual({ to: 'g', text: 'Hi' })
    expect(withMentions({ to: '12025550101', text: '@12025550101' }, [])).not.toHaveProperty('mentions')
  })

  test('is shown as a name if known', () => {
    const names = (number: string) => (number === ANA.number ? 'Ana Souza' : undefined)
    expect(withNames(`Hi @${ANA.number} and @${NOBODY.number}`, names)).toBe(`Hi @Ana Souza and @${NOBODY.number}`)
    expect(withNames(`@${ANA.number}0 ${ANA.number}`, names)).toBe(`@${ANA.number}0 ${ANA.number}`)
  })

  test('respects the limit of the service', () => {
    const many = Array.from({ length: 60 }, (_, i): Member => ({ number: String(12_025_550_100 + i), name: null }))
    const text = many.map(({ number }) => `@${number}`).join(' ')
    expect(mentionsIn(text, many)).toHaveLength(LIMITS.mentions)
  })
})
