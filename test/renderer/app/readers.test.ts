import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

/**
 * A sentence that sends people to the settings of the computer, or to the agency's clients and team, is said to operators
 * only: others cannot go there. Its key ends in the reader, or it is of a part that only operators see.
 */
const PLACE = /@:\{'(settings\.(title|name\.|mail\.)|agency\.title|members\.title|billing\.tab\.provider)/
const OF_OPERATORS = ['owner', 'agency']

/** Parts that only operators see. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'agency.': 'clients and brands are for operators',
  'billing.provider': 'how the agency takes money',
  'instances.safety.change': 'SafetyCard shows it to operators',
}

const FOLDER = resolve(import.meta.dirname, '../../../renderer/locales/en')
type Words = { readonly [key: string]: string | Words }

const sentences = (words: Words, path: string): [key: string, text: string][] =>
  Object.entries(words).flatMap(([name, value]) =>
    typeof value === 'string' ? [[`${path}.${name}`, value] as [string, string]] : sentences(value, `${path}.${name}`),
  )
const ALL = readdirSync(FOLDER).flatMap((file) =>
  sentences(JSON.parse(readFileSync(resolve(FOLDER, file), 'utf8')) as Words, file.replace('.json', '')),
)

test('no text sends a member to a place for operators', () => {
  const sent = ALL.filter(([, text]) => PLACE.test(text)).map(([key]) => key)
  const wrong = sent.filter((key) => {
    const isForOperators = OF_OPERATORS.includes(key.split('.').at(-1) ?? '')
    return !isForOperators && !Object.keys(ELSEWHERE).some((part) => key.startsWith(part))
  })
  expect(wrong).toEqual([])
  const unused = Object.keys(ELSEWHERE).filter((part) => !sent.some((key) => key.startsWith(part)))
  expect(unused).toEqual([])
  expect(sent.length).toBeGreaterThan(10)
})
