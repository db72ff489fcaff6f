import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConstraintError, StorageError } from '../../main/kernel/db.ts'
import { createStatements, type Prepare } from '../../main/storage/statements.ts'

let connection: Database.Database
let prepare: Prepare

beforeEach(() => {
  connection = new Database(':memory:')
  connection.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, v ANY, w TEXT NOT NULL DEFAULT 0 CHECK (w <> 5)) STRICT')
  prepare = createStatements(connection)
})

afterEach(() => void connection.close())

const one = (text: string, params: object = {}) => prepare({ text }).one(params)

test('a statement is prepared once and kept under the object that declares it', () => {
  const statement = { text: 'SELECT 1 AS n' }

  expect(prepare(statement)).toBe(prepare(statement))
  expect(prepare(statement)).not.toBe(prepare({ ...statement }))
})

test('a parameter used twice takes one value', () => {
  expect(one('SELECT :a AS x, :b AS y, :a AS z', { a: 'A', b: 'B' })).toEqual({ x: 'A', y: 'B', z: 'A' })
})

test.each([
  [`SELECT ':a' AS x, :a AS y`, { x: ':a', y: 1 }],
  [`SELECT 'it''s :b' AS x, :a AS y`, { x: "it's :b", y: 1 }],
  [`SELECT :a AS ":b"`, { ':b': 1 }],
  ['SELECT :a AS x -- not :b\n', { x: 1 }],
  ['SELECT /* nor :b\n */ :a AS x', { x: 1 }],
  ['SELECT :a+:a AS x', { x: 2 }],
])('%s has the parameter :a and no other', (text, row) => {
  expect(one(text, { a: 1 })).toEqual(row)
})

test.each([['text'], [''], [7], [null], [2 ** 53 - 1]])('%j is returned as it was given', (value) => {
  expect(one('SELECT :value AS value', { value })).toEqual({ value })
})

test('bytes are returned as they were given', () => {
  expect(one('SELECT :value AS value', { value: Buffer.from([0, 255]) })).toEqual({ value: Buffer.from([0, 255]) })
})

test('a missing parameter is named in the error, and null is not missing', () => {
  expect(() => one('SELECT :present, :absent', { present: null })).toThrow(
    'The parameter :absent is missing in: SELECT :present, :absent',
  )
})

test('a value SQLite cannot hold is refused with the statement and without the value', () => {
  const refused = () => one('SELECT :flag', { flag: true, secret: 'hunter2' })

  expect(refused).toThrow(/can only bind .* in: SELECT :flag$/)
  expect(refused).not.toThrow('hunter2')
})

test('run returns the number of changed rows', () => {
  const insert = { text: 'INSERT INTO t (n) VALUES (:a), (:b)' }

  expect(prepare(insert).run({ a: 1, b: 2 })).toBe(2)
  expect(prepare({ text: 'DELETE FROM t WHERE n = :n' }).run({ n: 9 })).toBe(0)
})

test.each([
  ['a duplicate', 'INSERT INTO t (n) VALUES (1), (1)'],
  ['a CHECK', `INSERT INTO t (w) VALUES ('5')`],
])('%s is a ConstraintError', (_, text) => {
  expect(() => prepare({ text }).run({})).toThrow(ConstraintError)
})

test.each([
  ['a missing value', 'INSERT INTO t (w) VALUES (NULL)'],
  ['a value of the wrong type', `INSERT INTO t (n) VALUES ('x')`],
  ['a fraction where a whole number belongs', 'INSERT INTO t (n) VALUES (1.5)'],
])('%s is a programming error, neither a conflict nor a storage fault', (_, text) => {
  const attempt = () => prepare({ text }).run({})

  expect(attempt).toThrow(text)
  expect(attempt).not.toThrow(ConstraintError)
  expect(attempt).not.toThrow(StorageError)
})

test('a typo is reported with the text of the statement', () => {
  expect(() => prepare({ text: 'SELEC :a\n   FROM t' })).toThrow('near "SELEC": syntax error in: SELEC :a FROM t')
})
