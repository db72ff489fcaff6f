import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const RENDERER = resolve(import.meta.dirname, '../../renderer')
const LOCALES = join(RENDERER, 'locales')
type Words = { readonly [key: string]: string | Words }

function flat(words: Words, prefix: string): [string, string][] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${prefix}.${key}`, value] as [string, string]] : flat(value, `${prefix}.${key}`),
  )
}
const wordsOf = (language: string) =>
  new Map(
    readdirSync(join(LOCALES, language)).flatMap((file) =>
      flat(JSON.parse(readFileSync(join(LOCALES, language, file), 'utf8')) as Words, file.replace('.json', '')),
    ),
  )
const english = wordsOf('en')
const others = readdirSync(LOCALES).filter((language) => language !== 'en')
const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g))].toSorted()

describe.each(others)('the words of %s', (language) => {
  const words = wordsOf(language)

  test('exist for exactly the English keys', () => {
    expect([...words.keys()].toSorted()).toEqual([...english.keys()].toSorted())
  })

  test('have the same placeholders and plural forms', () => {
    for (const [key, text] of english) {
      const own = words.get(key) ?? ''
      expect(own.trim() === '', key).toBe(text === '')
      expect(placeholders(own), key).toEqual(placeholders(text))
      expect(own.split(' | ').length, key).toBe(text.split(' | ').length)
    }
  })
})

/** Numbers that are never 1: steps of a list, and amounts of money. */
const NEVER_ONE = new Set(['overview.setup.progress', 'billing.budget.spent', 'billing.budget.held'])
/** Participles and comparatives in the plural. */
const PLURAL =
  /\{\w+\} (?!llamadas)(?:\S*(?:ados|adas|idos|idas)|enviad[oa]s|mejores|peores|melhores|piores|libres|livres)(?![\wà-ú])/

test.each(others)('a count in %s agrees with its noun, also for 1', (language) => {
  const wrong = [...wordsOf(language)].filter(
    ([key, text]) => !text.includes(' | ') && !NEVER_ONE.has(key) && PLURAL.test(text),
  )
  expect(wrong).toEqual([])
})

const sources = readdirSync(RENDERER, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(vue|ts)$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(RENDERER, file), 'utf8') }))

test('every key that a screen uses exists', () => {
  const missing: string[] = []
  for (const { file, text } of sources)
    for (const [, key = ''] of text.matchAll(/(?:\b|\$)(?:t|counted)\(\s*'([\w-]+(?:\.[\w-]+)+)'/g))
      if (!english.has(key)) missing.push(`${file} names ${key}`)
  expect(missing).toEqual([])
})

test('every key in the code exists or is a prefix of keys', () => {
  const rooms = new Set([...english.keys()].map((key) => key.split('.')[0]))
  const groups = new Set(
    [...english.keys()].flatMap((key) => key.split('.').map((_, n, all) => all.slice(0, n).join('.'))),
  )
  // The kinds of what needs attention look the same.
  const named = sources.filter(({ file }) => !file.endsWith('entry.ts'))
  const missing = named.flatMap(({ file, text }) =>
    [...text.matchAll(/'([\w-]+(?:\.[\w-]+)+)'/g)]
      .map(([, key = '']) => key)
      .filter((key) => rooms.has(key.split('.')[0] ?? '') && !english.has(key) && !groups.has(key))
      .map((key) => `${file} names ${key}`),
  )
  expect(missing).toEqual([])
})

test('every key prefix that a screen uses has keys', () => {
  const keys = [...english.keys()]
  const missing: string[] = []
  for (const { file, text } of sources)
    for (const [, key = ''] of text.matchAll(/(?:\b|\$)(?:t|te|counted)\(\s*`([\w-]+\.[^`]*)`/g)) {
      const parts = key.split(/\$\{[^}]*\}+/).map((part) => part.replaceAll('.', '\\.'))
      const family = new RegExp(`^${parts.join('[\\w.-]+')}$`)
      if (!keys.some((each) => family.test(each))) missing.push(`${file} names ${key}`)
    }
  expect(missing).toEqual([])
})
