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
  test('counts down in minutes and seconds, and stops at nothing', () => {
    expect(countdown(pending.expires_at, NOW)).toBe('3:00')
    expect(countdown(pending.expires_at, NOW + 120_500)).toBe('1:00')
    expect(countdown(pending.expires_at, NOW + 900_000)).toBe('0:00')
    expect(shareLeft(pending, NOW)).toBeCloseTo(0.6)
    expect(shareLeft(pending, NOW + 900_000)).toBe(0)
  })

  test('does not wait any more once its time is over, even before the service says so', () => {
    expect(isOpen(pending, NOW)).toBe(true)
    expect(isOpen(pending, NOW + 180_000)).toBe(false)
    expect(outcomeOf(pending, NOW + 180_000)).toBe('expired')
  })
})

describe('several calls that wait', () => {
  const later = { ...pending, id: 'later', expires_at: '2026-03-01T09:36:00.000Z' }
  const over = { ...pending, id: 'over', state: 'executed', expires_at: '2026-03-01T09:31:00.000Z' }
  const ids = (decidedHere: string[]) =>
    cardsOf([later, { ...pending, id: 'first' }, over], new Set(decidedHere), NOW).map(({ id }) => id)

  test('are shown in the order in which they came, so that a new one moves none of them', () => {
    expect(ids([])).toEqual(['first', 'later'])
  })

  test('a call that was decided here keeps its place and shows its result', () => {
    expect(ids(['over'])).toEqual(['over', 'first', 'later'])
  })

  test.each([
    [['a', 'b'], ['a', 'b', 'c'], false],
    [['a', 'b'], ['b'], true],
    [['a'], [], true],
    [[], ['a'], false],
  ])('%j, then %j: a card stands where another one stood: %s', (before, after, moved) => {
    expect(hasShifted(before, after)).toBe(moved)
  })
})

describe('what became of it', () => {
  test.each([
    [{ ...pending, state: 'approved' }, 'running'],
    [{ ...pending, state: 'executed', result: { status: 200, body: {} } }, 'done'],
    [{ ...pending, state: 'executed', result: { status: 409, body: {} } }, 'failed'],
    [{ ...pending, state: 'refused' }, 'refused'],
    [{ ...pending, state: 'expired' }, 'expired'],
  ] as const)('%o: %s', (record, outcome) => {
    expect(outcomeOf(record, NOW)).toBe(outcome)
  })

  test('why it did not work is told by its error code', () => {
    const body = { error: { code: 'not_ready', message: 'The instance is not connected.' } }
    expect(failureOf({ ...pending, state: 'executed', result: { status: 409, body } })).toBe('not_ready')
    expect(failureOf({ ...pending, state: 'executed', result: { status: 200, body } })).toBeUndefined()
  })
})

describe('what the arguments say', () => {
  test('every host is named, in ASCII and once, however deep it is', () => {
    expect(
      hostsIn({ url: 'https://evil.example/a?b', nested: [{ u: ' HTTPS://evil.example ' }], text: 'a b' }),
    ).toEqual(['evil.example'])
    expect(hostsIn({ url: 'https://аpple.com/' })).toEqual(['xn--pple-43d.com'])
    expect(hostsIn({ url: 'https://trusted.example@evil.example:8443/' })).toEqual(['evil.example:8443'])
    expect(hostsIn({ text: 'see https://a.example', to: '12025550123', n: 1, none: null })).toEqual([])
  })

  test('and the host that the thing has already is named with them', () => {
    const parts = [{ kind: 'destination' as const, name: null, values: ['hooks.example'], total: 1 }]
    expect(hostsOf({ arguments: {}, parts })).toEqual(['hooks.example'])
    expect(hostsOf({ arguments: { url: 'https://new.example' }, parts })).toEqual(['new.example', 'hooks.example'])
    expect(hostsOf({ arguments: { url: 'https://new.example' }, parts: null })).toEqual(['new.example'])
  })

  test('characters that hide or reorder text are written out', () => {
    expect(visibleJson({ text: 'a\u202Eb\u200Bc\nd' })).toBe('{\n  "text": "a\\u{202e}b\\u{200b}c\\nd"\n}')
  })
})

describe('what is asked for', () => {
  const operations = CONTRACTS.flatMap(({ operations: all }) => Object.values(all))
  const asked = operations.filter((operation) => operation.tool !== null && needsApproval('sending', operation))

  test.each(['en', 'pt-BR', 'es'])('is said in %s for every call that can need an approval', (language) => {
    const file = new URL(`../../../renderer/locales/${language}/assistants.json`, import.meta.url)
    const { act } = JSON.parse(readFileSync(file, 'utf8')) as { act: Record<string, string> }
    expect(Object.keys(act).toSorted()).toEqual([...asked.map(({ id }) => id), 'other'].toSorted())
  })

  test.each(['en', 'pt-BR', 'es'])('has a name in %s for every argument of such a call', (language) => {
    const file = new URL(`../../../renderer/locales/${language}/assistants.json`, import.meta.url)
    const { argument } = JSON.parse(readFileSync(file, 'utf8')) as { argument: Record<string, string> }
    const given = asked.flatMap(({ body, query }) => [body, query].flatMap(fieldsOf))
    expect([...new Set(given)].filter((name) => argument[name] === undefined)).toEqual([])
  })
})
