import { describe, expect, test } from 'vitest'
import { failureOf, meaningOf, readError } from '../../../main/engines/official/errors.ts'

const error = (code: number) => ({ code, details: 'Details' })

/** What Meta's codes mean, row by row, written down a second time. */
const ROWS: readonly (readonly [codes: readonly number[], meaning: object])[] = [
  [[0, 190], { kind: 'token_dead' }],
  [[3, 10, 200, 250, 299], { kind: 'permission' }],
  [[4, 80_007, 80_008, 130_429], { kind: 'throttled', scope: 'number' }],
  [[131_056], { kind: 'throttled', scope: 'pair' }],
  [[131_047], { kind: 'refused', code: 'outside_window' }],
  [[131_026], { kind: 'refused', code: 'undeliverable' }],
  [[131_049, 131_050], { kind: 'refused', code: 'marketing_limit' }],
  [[130_472, 130_497, 131_021, 131_030], { kind: 'refused', code: 'engine_rejected' }],
  [[131_051, 131_052, 131_053, 131_055, 131_062, 131_008, 131_009, 100], { kind: 'invalid' }],
  [[132_000, 132_005, 132_007, 132_012, 132_018], { kind: 'invalid' }],
  [[132_015, 132_069], { kind: 'template', fault: 'paused' }],
  [[132_016, 132_068], { kind: 'template', fault: 'disabled' }],
  [[132_001], { kind: 'template', fault: 'missing' }],
  [[1, 2, 131_000, 131_016, 131_057, 133_004], { kind: 'server' }],
  [[131_042], { kind: 'held', reason: 'payment' }],
  [[131_048], { kind: 'held', reason: 'spam' }],
  [[368], { kind: 'held', reason: 'policy' }],
  [[131_037], { kind: 'held', reason: 'display_name' }],
  [[33, 131_045, 133_000, 133_006, 133_010, 133_015, 133_016], { kind: 'held', reason: 'registration' }],
  [[133_005, 133_008, 133_009], { kind: 'held', reason: 'pin' }],
  [[131_031], { kind: 'blocked' }],
]

describe.each(ROWS)('the error codes %j', (codes, meaning) => {
  test.each(codes)('%i', (code) => {
    expect(meaningOf(error(code))).toEqual(meaning)
  })
})

test('an unknown code has no meaning of its own', () => {
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

test.each([131_030, 130_497, 131_042, 131_048, 131_062, 132_001, 132_015, 132_016, 132_068, 132_069])(
  'the error %i explains what to do',
  (code) => {
    const { message } = failureOf(error(code))
    expect(message).not.toContain('Details')
    expect(message).not.toContain('WhatsApp refused the message.')
  },
)

test('Meta’s own text is used for errors without an explanation, and is shortened', () => {
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
])('%j is not a Graph error', (body) => {
  expect(readError(body)).toBeUndefined()
})
