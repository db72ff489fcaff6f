import { describe, expect, test } from 'vitest'
import { codeOf, expireSecondsOf, verdictOn, type Verdict } from '../../../main/engines/smv2/close-codes.ts'

const NOW = 1_000_000

/** What each close code leads to once the phone is paired. */
const PAIRED: readonly (readonly [code: number | null, verdict: Verdict])[] = [
  [515, { kind: 'restart' }],
  [428, { kind: 'retry', reason: 'connection_lost' }],
  [408, { kind: 'retry', reason: 'link_silent' }],
  [503, { kind: 'retry', reason: 'network_unavailable' }],
  [null, { kind: 'retry', reason: 'connection_lost' }],
  [599, { kind: 'retry', reason: 'connection_lost' }],
  [401, { kind: 'refused', reason: 'logged_out', untilMs: null }],
  [419, { kind: 'refused', reason: 'logged_out', untilMs: null }],
  [411, { kind: 'refused', reason: 'logged_out', untilMs: null }],
  [403, { kind: 'refused', reason: 'banned', untilMs: null }],
  [402, { kind: 'refused', reason: 'temporary_ban', untilMs: NOW + 3_600_000 }],
  [405, { kind: 'outdated' }],
  [440, { kind: 'replaced' }],
  [500, { kind: 'bad_session' }],
]

describe('the end of a link that is paired', () => {
  test.each(PAIRED)('%s', (code, verdict) => {
    expect(verdictOn({ code, expireSeconds: 3_600, isPaired: true, hadCode: false, nowMs: NOW })).toEqual(verdict)
  })
})

/** Before the phone has confirmed, only three codes mean anything: the half-made session is worth nothing else. */
const UNPAIRED: readonly (readonly [code: number | null, kind: Verdict['kind']])[] = [
  [515, 'restart'],
  [408, 'expired'],
  [405, 'outdated'],
  ...([401, 403, 428, 440, 500, 503, null] as const).map((code) => [code, 'begin_anew'] as const),
]

test.each(UNPAIRED)('the end of a pairing: %s', (code, kind) => {
  expect(verdictOn({ code, expireSeconds: null, isPaired: false, hadCode: true, nowMs: NOW }).kind).toBe(kind)
})

test('the end of a pairing that never had a code is no fault of whoever should have scanned it', () => {
  const closing = { code: 408, expireSeconds: null, isPaired: false, hadCode: false, nowMs: NOW }
  expect(verdictOn(closing)).toEqual({ kind: 'begin_anew' })
})

test('a code is found in whatever form the library gives its ends', () => {
  expect(codeOf(1006)).toBe(1006)
  expect(codeOf({ output: { statusCode: 428 } })).toBe(428)
  expect([codeOf(undefined), codeOf(new Error('garbage')), codeOf('x')]).toEqual([null, null, null])
  expect(expireSecondsOf({ data: { reason: '402', expire: '86400' } })).toBe(86_400)
  expect([expireSecondsOf({ data: {} }), expireSecondsOf(null), expireSecondsOf({ data: { expire: 'x' } })]).toEqual([
    null,
    null,
    null,
  ])
})
