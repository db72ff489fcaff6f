import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CONTRACTS } from '../../../main/capabilities/contracts.ts'
import { needsApproval } from '../../../main/contract/effects.ts'
import {
  cardsOf,
  countdown,
  hostsIn,
  hostsOf,
  visibleJson,
  failureOf,
  hasShifted,
  isOpen,
  outcomeOf,
  shareLeft,
} from '../../../renderer/rooms/assistants/approval.ts'

const NOW = Date.parse('2026-03-01T09:32:00.000Z')
/** Names of the fields of a schema, and of each of its alternatives. */
const fieldsOf = (schema: any): string[] => [
  ...Object.keys(schema?.properties ?? {}),
  ...(schema?.anyOf ?? []).flatMap(fieldsOf),
]
const pending = {
  state: 'pending',
  created_at: '2026-03-01T09:30:00.000Z',
  expires_at: '2026-03-01T09:35:00.000Z',
  result: null,
} as any

describe('a call that waits for a person', () => {
  test('counts down in minutes and seconds to zero', () => {
    expect(countdown(pending.expires_at, NOW)).toBe('3:00')
    expect(countdown(pending.expires_at, NOW + 120_500)).toBe('1:00')
    expect(countdown(pending.expires_at, NOW + 900_000)).toBe('0:00')
    expect(shareLeft(pending, NOW)).toBeCloseTo(0.6)
    expect(shareLeft(pending, NOW + 900_000)).toBe(0)
  })

  test('no longer waits once its time is over, even before the service reports it', () => {
    expect(isOpen(pending, NOW)).toBe(true)
    expect(isOpen(pending, NOW + 180_000)).toBe(false)
    expect(outcomeOf(pending, NOW + 180_000)).toBe('expired')
  })
})

describe('several waiting calls', () => {
  const later = { ...pending, id: 'later', expires_at: '2026-03-01T09:36:00.000Z' }
  const over = { ...pending, id: 'over', state: 'executed', expires_at: '2026-03-01T09:31:00.000Z' }
  const ids = (decidedHere: string[]) =>
    cardsOf([later, { ...pending, id: 'first' }, over], new Set(decidedHere), NOW).map(({ id }) => id)

  test('are shown in order of arrival', () => {
    expect(ids([])).toEqual(['first', 'later'])
  })

  test('a decided call keeps its place and shows its result', () => {
    expect(ids(['over'])).toEqual(['over', 'first', 'later'])
  })

  test.each([
    [['a', 'b'], ['a', 'b', 'c'], false],
    [['a', 'b'], ['b'], true],
    [['a'], [], true],
    [[], ['a'], false],
  ])('%j, then %j: a card takes the place of another: %s', (before, after, moved) => {
    expect(hasShifted(before, after)).toBe(moved)
  })
})

describe('the result of a call', () => {
  test.each([
    [{ ...pending, state: 'approved' }, 'running'],
    [{ ...pending, state: 'executed', result: { status: 200, body: {} } }, 'done'],
    [{ ...pending, state: 'executed', result: { status: 409, body: {} } }, 'failed'],
    [{ ...pending, state: 'refused' }, 'refused'],
    [{ ...pending, state: 'expired' }, 'expired'],
  ] as const)('%o: %s', (record, outcome) => {
    expect(outcomeOf(record, NOW)).toBe(outcome)
  })

  test('a failure is explained by its error code', () => {
    const body = { error: { code: 'not_ready', message: 'The instance is not connected.' } }
    expect(failureOf({ ...pending, state: 'executed', result: { status: 409, body } })).toBe('not_ready')
    expect(failureOf({ ...pending, state: 'executed', result: { status: 200, body } })).toBeUndefined()
  })
})

describe('the arguments of a call', () => {
  test('lists every host once, in ASCII, at any depth', () => {
    expect(
      hostsIn({ url: 'https://evil.example/a?b', nested: [{ u: ' HTTPS://evil.example ' }], text: 'a b' }),
    ).toEqual(['evil.example'])
    expect(hostsIn({ url: 'https://аpple.com/' })).toEqual(['xn--pple-43d.com'])
    expect(hostsIn({ url: 'https://trusted.example@evil.example:8443/' })).toEqual(['evil.example:8443'])
    expect(hostsIn({ text: 'see https://a.example', to: '12025550123', n: 1, none: null })).toEqual([])
  })

  test('lists the current host of the subject too', () => {
    const parts = [{ kind: 'destination' as const, name: null, values: ['hooks.example'], total: 1 }]
    expect(hostsOf({ arguments: {}, parts })).toEqual(['hooks.example'])
    expect(hostsOf({ arguments: { url: 'https://new.example' }, parts })).toEqual(['new.example', 'hooks.example'])
    expect(hostsOf({ arguments: { url: 'https://new.example' }, parts: null })).toEqual(['new.example'])
  })

  test('escapes characters that hide or reorder text', () => {
    expect(visibleJson({ text: 'a\u202Eb\u200Bc\nd' })).toBe('{\n  "text": "a\\u{202e}b\\u{200b}c\\nd"\n}')
  })
})

describe('the description of a call', () => {
  const operations = CONTRACTS.flatMap(({ operations: all }) => Object.values(all))
  const asked = operations.filter((operation) => operation.tool !== null && needsApproval('sending', operation))

  test.each(['en', 'pt-BR', 'es'])('exists in %s for every call that can need approval', (language) => {
    const file = new URL(`../../../renderer/locales/${language}/assistants.json`, import.meta.url)
    const { act } = JSON.parse(readFileSync(file, 'utf8')) as { act: Record<string, string> }
    expect(Object.keys(act).toSorted()).toEqual([...asked.map(({ id }) => id), 'other'].toSorted())
  })

  test.each(['en', 'pt-BR', 'es'])('has a name in %s for every argument', (language) => {
    const file = new URL(`../../../renderer/locales/${language}/assistants.json`, import.meta.url)
    const { argument } = JSON.parse(readFileSync(file, 'utf8')) as { argument: Record<string, string> }
    const given = asked.flatMap(({ body, query }) => [body, query].flatMap(fieldsOf))
    expect([...new Set(given)].filter((name) => argument[name] === undefined)).toEqual([])
  })
})
