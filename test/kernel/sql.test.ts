import { expect, test } from 'vitest'
import { declaredStatements, sql } from '../../main/kernel/sql.ts'

test('a statement keeps its text and is declared for the start', () => {
  const text = 'SELECT 1 AS one'
  const statement = sql(text)

  expect(statement).toEqual({ text })
  expect(declaredStatements()).toContain(statement)
})

test('two statements with one text are two statements', () => {
  const before = declaredStatements().length
  sql('SELECT 2')
  sql('SELECT 2')

  expect(declaredStatements()).toHaveLength(before + 2)
})

test('the list is a copy: nobody can undeclare a statement', () => {
  expect(declaredStatements()).not.toBe(declaredStatements())
})
