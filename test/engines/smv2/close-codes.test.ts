import { describe, expect, test } from 'vitest'
import { codeOf, expireSecondsOf, verdictOn, type Verdict } from '../../../main/engines/smv2/close-codes.ts'

const NOW = 1_000_000

/** What each close code leads to once the phone is paired. */
const PAIRED: readonly (readonly [code: number | null, verdict: Verdict])[] = [
  [515, { kind: 'restart' }],
  [428, { kind: 'retry', reason: 'connection_lost' }],
  [408, { kind: 'retry', reason: 'link_silent' }],
  [503, { kind: 'retry', reason: 'network_unavailable' }],
  [495, { kind: 'retry', reason: 'certificate_dates' }],
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

describe('a closed connection of a paired number', () => {
  test.each(PAIRED)('is classified by its code: %s', (code, verdict) => {
    expect(verdictOn({ code, expireSeconds: 3_600, isPaired: true, isPairingOver: false, nowMs: NOW })).toEqual(verdict)
  })
})

/** What a connection closed during pairing leads to while a code is valid, and once all have ended. */
const UNPAIRED: readonly (readonly [code: number | null, early: Verdict['kind'], late: Verdict['kind']])[] = [
  [515, 'restart', 'restart'],
  [405, 'outdated', 'outdated'],
  ...([401, 403, 408, 428, 440, 500, 503, null] as const).map((code) => [code, 'begin_anew', 'expired'] as const),
]

test.each(UNPAIRED)('a connection closed during pairing is classified by its code: %s', (code, early, late) => {
  const closing = { code, expireSeconds: null, isPaired: false, nowMs: NOW }
  expect(verdictOn({ ...closing, isPairingOver: false }).kind).toBe(early)
  expect(verdictOn({ ...closing, isPairingOver: true }).kind).toBe(late)
})

test('a close code is found in every form in which the library reports it', () => {
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
