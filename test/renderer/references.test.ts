import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createI18n } from 'vue-i18n'
import { describe, expect, test } from 'vitest'

/** Sentences that name a place of the window: they take the name from its own key, so that it cannot be another. */
const LOCALES = resolve(import.meta.dirname, '../../renderer/locales')
type Words = { readonly [key: string]: string | Words }

const messagesOf = (language: string): Words =>
  Object.fromEntries(
    readdirSync(join(LOCALES, language)).map((file) => [
      file.replace('.json', ''),
      JSON.parse(readFileSync(join(LOCALES, language, file), 'utf8')) as Words,
    ]),
  )
const flat = (words: Words, prefix = ''): [string, string][] =>
  Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${prefix}${key}`, value] as [string, string]] : flat(value, `${prefix}${key}.`),
  )
const linksOf = (text: string) => [...text.matchAll(/@(?:\.\w+)?:\{'([^']+)'\}/g)].map(([, key = '']) => key)

const languages = readdirSync(LOCALES)
const english = new Map(flat(messagesOf('en')))

/** Sentences about what others made: their pages and buttons have no keys here. */
const OF_OTHERS = [
  'assistants.client.',
  'ai.keyHelp.',
  'ai.providerHelp.',
  'ai.local.',
  'billing.provider.addressHelp',
  'crm.connect.locationHelp',
  'instances.pair.steps.',
  'instances.passkey.',
]
/** Names of products, languages and keys of the keyboard, which are no places of the window. */
const NO_PLACES = new Set([
  ...['Switchboard', 'Stripe account', 'Claude', 'Anthropic', 'Google', 'Open', 'Excel', 'Webhooks'],
  ...['English', 'Enter', 'Web'],
])

/** Short names, as they stand on tabs, rooms, buttons and settings. */
const names = new Set(
  [...english.values()].filter((text) => /^[A-Z][\w-]+(?: [\w-]+){0,3}$/.test(text) && !NO_PLACES.has(text)),
)

/** Names in the middle of a sentence, in capitals or in quotation marks. */
function typedNames(text: string): string[] {
  const sentence = text.replaceAll(/@:\{'[^']+'\}/g, '§')
  if (sentence.split(' ').length < 4) return []
  const quoted = [...sentence.matchAll(/“([^”{}§]+)”/g)].map(([, name = '']) => name)
  const inside = [...sentence.matchAll(/(?<=[a-z§,(] )([A-Z][a-z-]+(?: [a-z]+){0,2})/g)].flatMap(([, found = '']) => {
    const words = found.split(' ')
    return words.map((_, i) => words.slice(0, i + 1).join(' '))
  })
  return [...quoted, ...inside].filter((name) => names.has(name))
}

test('an English sentence takes the name of a screen, tab, button or setting from its key', () => {
  const typed = [...english]
    .filter(([key]) => !OF_OTHERS.some((prefix) => key.startsWith(prefix)))
    .flatMap(([key, text]) => typedNames(text).map((name) => `${key} types “${name}”`))
  expect(typed).toEqual([])
})

describe.each(languages)('the sentences of %s', (language) => {
  const messages = messagesOf(language)
  const words = new Map(flat(messages))

  test('refer to the same places as the English ones', () => {
    for (const [key, text] of english)
      expect(linksOf(words.get(key) ?? '').toSorted(), key).toEqual(linksOf(text).toSorted())
  })

  test('contain the names of the places they refer to', () => {
    const i18n = createI18n({ legacy: false, locale: language, messages: { [language]: messages }, missingWarn: false })
    const linked = [...words].filter(([, text]) => linksOf(text).length > 0)
    expect(linked.length).toBeGreaterThan(15)
    for (const [key, text] of linked) {
      const shown = i18n.global.t(key)
      for (const link of linksOf(text)) expect(shown, key).toContain(words.get(link) ?? `no ${link}`)
      expect(shown, key).not.toContain('@:')
    }
  })
})

test('every setting that a sentence of the service names exists', async () => {
  const { SETTINGS } = await import('../../main/config.ts')
  const known = new Set(Object.values(SETTINGS).map(({ name }) => name))
  const main = resolve(import.meta.dirname, '../../main')
  const unknown: string[] = []
  let found = 0
  for (const file of readdirSync(main, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file === 'config.ts') continue
    const text = readFileSync(join(main, file), 'utf8')
    for (const [, name = ''] of text.matchAll(
      /(?:\b[Tt]he setting|\b[Ss]etting|\bSet|\bset) `?([a-z]+(?:[._][a-z]+)+)\b/g,
    )) {
      found++
      if (name.includes('.') && !known.has(name)) unknown.push(`${file} names ${name}`)
    }
  }
  expect(found).toBeGreaterThan(3)
  expect(unknown).toEqual([])
})
