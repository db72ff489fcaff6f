import { describe, expect, test } from 'vitest'
import { failureOf, meaningOf, readError } from '../../../main/engines/official/errors.ts'

const error = (code: number) => ({ code, details: 'Details' })

/** What Meta's codes mean, row by row, written down a second time. */
const ROWS: readonly (readonly [codes: readonly number[], meaning: object])[] = [
  [[0, 190], { kind: 'token_dead' }],
  [[3, 10, 200, 250, 299], { kind: 'permission' }],
  [[4, 80_007, 130_429, 131_048], { kind: 'throttled', scope: 'number' }],
  [[131_056], { kind: 'throttled', scope: 'pair' }],
  [[131_047], { kind: 'refused', code: 'outside_window' }],
  [[131_026], { kind: 'refused', code: 'undeliverable' }],
  [[131_049, 131_050], { kind: 'refused', code: 'marketing_limit' }],
  [[130_472, 130_497], { kind: 'refused', code: 'engine_rejected' }],
  [[131_051, 131_052, 131_053, 132_000, 132_001, 132_016, 131_008, 131_009, 100], { kind: 'invalid' }],
  [[1, 2, 131_000, 131_016, 131_057], { kind: 'server' }],
  [[133_000, 133_010], { kind: 'unregistered' }],
  [[368, 131_031], { kind: 'blocked' }],
]

describe.each(ROWS)('the codes %j', (codes, meaning) => {
  test.each(codes)('%i', (code) => {
    expect(meaningOf(error(code))).toEqual(meaning)
  })
})

test('a code that is not in the table means nothing by itself', () => {
  expect(meaningOf(error(999_999))).toBeUndefined()
  expect(meaningOf(error(199))).toBeUndefined()
  expect(meaningOf(error(300))).toBeUndefined()
})

test.each([
  [131_047, 'outside_window'],
  [131_026, 'undeliverable'],
  [131_049, 'marketing_limit'],
  [131_053, 'media_rejected'],
  [131_048, 'engine_rejected'],
  [131_000, 'engine_rejected'],
  [999_999, 'engine_rejected'],
])('a message that failed with %i shows %s and the code of the provider', (code, ours) => {
  expect(failureOf(error(code))).toMatchObject({ code: ours, provider_code: code })
})

test('Meta’s own words are shown where we have none, and are short', () => {
  const long = { code: 999_999, details: 'x'.repeat(300) }
  expect(failureOf(long).message).toContain('xxx')
  const read = readError({ error: { code: 100, message: 'm', error_data: { details: 'd'.repeat(5_000) } } })
  expect(read?.details).toHaveLength(300)
})

test.each([
  [{}],
  [{ error: 'no' }],
  [{ error: { message: 'no code' } }],
  [{ error: { code: 'abc' } }],
  [{ error: { code: 1.5 } }],
])('%j is no error of Graph', (body) => {
  expect(readError(body)).toBeUndefined()
})
