import { expect, test } from 'vitest'
import { postgresText } from '../../../main/storage/postgres/statement-text.ts'

test('numbers parameters in the order of their first use', () => {
  expect(postgresText('SELECT a FROM b WHERE c = :c AND d = :d AND e > :c')).toEqual({
    text: 'SELECT a FROM b WHERE c = $1 AND d = $2 AND e > $1',
    names: ['c', 'd'],
  })
})

test.each([
  ['quotes an alias in camel case', 'SELECT a AS accountId FROM b', 'SELECT a AS "accountId" FROM b'],
  [
    'quotes a column of a subquery in camel case',
    'SELECT pushName FROM (SELECT push_name AS pushName FROM a) AS b',
    'SELECT "pushName" FROM (SELECT push_name AS "pushName" FROM a) AS b',
  ],
  ['leaves words in one case alone', 'SELECT max(seq) AS last FROM a', 'SELECT max(seq) AS last FROM a'],
  ['leaves quoted text alone', "SELECT ':a camelCase it''s' AS a", "SELECT ':a camelCase it''s' AS a"],
  ['leaves quoted names alone', 'SELECT a AS "groupOf:b"', 'SELECT a AS "groupOf:b"'],
  ['leaves comments alone', 'SELECT 1 -- :a someName\n/* :b */', 'SELECT 1 -- :a someName\n/* :b */'],
])('%s', (_name, sql, text) => {
  expect(postgresText(sql)).toEqual({ text, names: [] })
})
