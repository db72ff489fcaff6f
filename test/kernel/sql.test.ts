import { expect, test } from 'vitest'
import { declaredStatements, sql } from '../../main/kernel/sql.ts'

test('a statement keeps its text and is declared for the check at start', () => {
  const text = 'SELECT 1 AS one'
  const statement = sql(text)

  expect(statement).toEqual({ text })
  expect(declaredStatements()).toContain(statement)
})

test('two statements with the same text are declared separately', () => {
  const before = declaredStatements().length
  sql('SELECT 2')
  sql('SELECT 2')

  expect(declaredStatements()).toHaveLength(before + 2)
})

test('the list is a copy, so no statement can be removed from it', () => {
  expect(declaredStatements()).not.toBe(declaredStatements())
})
