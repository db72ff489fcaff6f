import { describe, expect, test } from 'vitest'
import '../../main/service.ts'
import { declaredStatements } from '../../main/kernel/sql.ts'

interface Refused {
  /** What one would write in SQLite. */
  readonly example: string
  readonly instead: string
  readonly words: RegExp
}

/** What a server database does not know, or takes to mean something else. */
const ANYWHERE: readonly Refused[] = [
  { example: 'SELECT rowid FROM events', instead: 'a key of its own', words: /\b(_?rowid_?|oid)\b/i },
  { example: 'SELECT last_insert_rowid()', instead: 'RETURNING', words: /\b(last_insert_rowid|changes) ?\(/i },
  { example: 'INSERT OR IGNORE INTO meta', instead: 'ON CONFLICT', words: /\b(INSERT|UPDATE) OR\b|\bREPLACE INTO\b/i },
  { example: 'name LIKE :start', instead: '=', words: /\b(LIKE|GLOB|REGEXP|MATCH)\b/i },
  { example: 'ORDER BY name COLLATE NOCASE', instead: 'a column as it is compared', words: /\bCOLLATE\b/i },
  { example: 'SELECT value FROM json_each(:ids)', instead: 'a parameter for each', words: /\bjsonb?_\w+|->/i },
  {
    example: "datetime('now')",
    instead: 'a parameter in milliseconds',
    words: /\b(date|time|datetime|julianday|unixepoch|strftime|timediff) ?\(|\bCURRENT_(DATE|TIME|TIMESTAMP)\b/i,
  },
  { example: 'random()', instead: 'a parameter: chance comes from the world', words: /\brandom(blob)? ?\(/i },
  { example: "iif(a = 1, 'x', 'y')", instead: 'CASE', words: /\bi?if ?\(/i },
  {
    example: 'ifnull(a, b)',
    instead: 'COALESCE, or what the room makes of the row',
    words: /\b(ifnull|total|group_concat|printf|format|instr|hex|unhex|typeof|zeroblob|char|(un)?likely) ?\(/i,
  },
  { example: "SET fp = x''", instead: 'a parameter', words: /\bx''/i },
  { example: 'a == b', instead: 'a = b', words: /==/ },
  { example: 'a IS :b', instead: 'a = :b, or IS NULL', words: /\bIS (?!(NOT )?NULL\b)/i },
  { example: 'active = TRUE', instead: '0 and 1', words: /\b(TRUE|FALSE)\b/i },
  { example: 'a || b', instead: 'text that the room puts together', words: /\|\|/ },
  { example: 'ORDER BY a NULLS LAST', instead: 'a condition', words: /\bNULLS (FIRST|LAST)\b/i },
  { example: 'FROM events INDEXED BY one', instead: 'an index that fits', words: /\bINDEXED\b/i },
  { example: 'UPDATE events AS e SET e.type = :type', instead: 'SET type', words: /\bSET \w+\./i },
  { example: 'state = "active"', instead: 'single quotes', words: /(?<!\bAS )"\w*"/i },
  { example: 'due > :now + :gap', instead: 'one parameter: these two have no type', words: /:\w+ ?[-+*/%] ?:\w+/ },
  {
    example: '(:id IS NULL OR id = :id)',
    instead: '(id = :id OR :id IS NULL), since its first use gives a parameter its type',
    words: /:(\w+) IS (?:NOT )?NULL\b(?<!:\1\b.*:\1 IS (?:NOT )?NULL)/i,
  },
]

/** Between one pair of brackets, with what stands before and after it. Brackets within are `[]`. */
const WITHIN_BRACKETS: readonly Refused[] = [
  { example: 'max(a, b)', instead: 'CASE', words: /^(min|max) ?\([^)]*,/i },
  { example: 'sum(a = b)', instead: 'sum(CASE …)', words: /^(sum|avg|count|min|max) ?\((?!CASE\b).*([=<>]|\bNULL\b)/i },
  { example: '(a = b) AS isSame', instead: 'CASE', words: /^ ?\((?!SELECT\b).*([=<>]|\bNULL\b|EXISTS).*\) AS \w/i },
  { example: 'EXISTS (SELECT 1) AS isThere', instead: 'CASE', words: /^EXISTS ?\(.*\) AS \w/i },
  { example: 'SELECT seq FROM events LIMIT 1', instead: 'ORDER BY too', words: /^(?!.*\bORDER BY\b).*\bLIMIT\b/i },
  {
    example: 'DELETE FROM events ORDER BY seq LIMIT 1',
    instead: 'IN (SELECT …)',
    words: /^(UPDATE|DELETE)\b.*\bLIMIT\b/i,
  },
  { example: 'SELECT seq FROM (SELECT 1)', instead: 'FROM (…) AS name', words: /\b(FROM|JOIN) ?\[\](?! AS\b)/i },
]

const refusals = [
  ...ANYWHERE.map((refused) => ({ ...refused, parts: (text: string) => [unquoted(text)] })),
  ...WITHIN_BRACKETS.map((refused) => ({ ...refused, parts: bracketed })),
]

const complaints = (text: string) =>
  refusals
    .filter(({ words, parts }) => parts(text).some((part) => words.test(part)))
    .map(({ example, instead }) => `like ${example}: write ${instead}`)

const statements = declaredStatements().map(({ text }) => text.replaceAll(/\s+/g, ' ').trim())

test('no statement of any room uses syntax that only SQLite understands', () => {
  expect(statements.length).toBeGreaterThan(300)
  expect(statements.flatMap((text) => complaints(text).map((complaint) => `${text}: ${complaint}`))).toEqual([])
})

describe('the portability check', () => {
  test.each(refusals)('refuses $example', ({ example, instead }) => {
    expect(complaints(example)).toContain(`like ${example}: write ${instead}`)
  })

  test.each([
    "SELECT 'a || b, max(a, b) LIKE x' AS text FROM events",
    'SELECT max(seq) AS last, count(CASE WHEN a = 1 THEN 1 END) AS many FROM events GROUP BY type',
    'SELECT (SELECT count(*) FROM deliveries d WHERE d.event_seq = e.seq) AS many FROM events e ORDER BY seq LIMIT 1',
    'SELECT a AS "group" FROM (SELECT a FROM events ORDER BY seq LIMIT :rows) AS first WHERE a = :a OR :a IS NULL',
  ])('accepts %s', (text) => {
    expect(complaints(text)).toEqual([])
  })
})

const unquoted = (text: string) => text.replaceAll(/'(?:[^']|'')*'/g, "''")

/** What lies between each pair of brackets, innermost first, and the statement around them. */
function bracketed(text: string): string[] {
  const found: string[] = []
  let rest = unquoted(text)
  while (rest.includes('(')) {
    rest = rest.replaceAll(/(\w* ?)\(([^()]*)\)( AS \w+)?/g, (part, before: string, within: string, after = '') => {
      found.push(part, within)
      return `${before}[]${after}`
    })
  }
  return [...found, rest]
}
