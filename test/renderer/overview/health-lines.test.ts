import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { HEALTH_ISSUES, lineOfIssue, type HealthIssueCode } from '../../../main/contract/health-issue-codes.ts'

// By its path: the types of the tests know no .vue files, which the entries may reach.
const FILE = resolve(import.meta.dirname, '../../../renderer/app/entries.ts')
const { findAttentionDisplay, attentionTarget } = await import(FILE)

const LANGUAGES = ['en', 'es', 'pt-BR']
const words = new Map(
  LANGUAGES.map((language) => {
    const file = resolve(import.meta.dirname, `../../../renderer/locales/${language}/instances.json`)
    return [language, JSON.parse(readFileSync(file, 'utf8'))] as const
  }),
)
const codes = Object.keys(HEALTH_ISSUES) as HealthIssueCode[]
const lineOf = (code: HealthIssueCode) =>
  typeof HEALTH_ISSUES[code] === 'string' ? `instances.${code}` : lineOfIssue(code)

test.each(codes)('%s has a text in every language', (code) => {
  for (const language of LANGUAGES) {
    const { title = '', text = '' } = words.get(language).issue[code] ?? {}
    expect(
      [title, text].every((each) => each !== ''),
      language,
    ).toBe(true)
  }
})

test.each(codes.filter((code) => lineOf(code) !== null))('the overview shows the line of %s with a link', (code) => {
  const [room = '', line = ''] = lineOf(code)?.split('.') ?? []
  const display = findAttentionDisplay(room, line)
  expect(display, lineOf(code) ?? '').toBeDefined()
  expect(attentionTarget(room, line, 'one')).toMatch(/^\/instances\/one/)
  expect(attentionTarget(room, line, null)).toBe(`/instances?attention=${room}.${line}`)
  if (display.isIssue === true) expect(words.get('en').issue).toHaveProperty(display.words.split('.').at(-1))
})

test('a past end of a Meta API version has another text than a coming one', () => {
  expect(findAttentionDisplay('official-settings', 'version_ended').words).not.toBe(
    findAttentionDisplay('official-settings', 'version_ends').words,
  )
})
