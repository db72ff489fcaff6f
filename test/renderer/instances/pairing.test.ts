import { describe, expect, it } from 'vitest'
import type { QrView } from '../../../main/contract/instance.ts'
import { Problem } from '../../../renderer/app/problem.ts'
import { leftText } from '../../../renderer/parts/clock-text.ts'
import {
  parsePhoneNumber,
  freeSandboxNumber,
  leftMs,
  nextPollMs,
  toPhase,
} from '../../../renderer/rooms/instances/pairing.ts'

const nowMs = Date.parse('2026-03-01T09:30:00.000Z')
const inMs = (ms: number) => new Date(nowMs + ms).toISOString()
const view = (more: Partial<QrView>): QrView => ({
  qr: null,
  pairing_code: null,
  state: 'ready',
  expires_at: null,
  attempt: 1,
  ...more,
})
const stand = (shown: Partial<QrView> | undefined, problem?: Problem) => ({
  view: shown && view(shown),
  problem,
  nowMs,
})
const lost = new Problem(0, 'unreachable', 'no answer', { isRetryable: true })
const refused = new Problem(400, 'engine_mismatch', 'no')

describe('pairing as the person sees it', () => {
  it.each([
    [stand(undefined), 'loading', undefined],
    [stand({ state: 'pending' }), 'refreshing', 1_000],
    [stand({ expires_at: inMs(20_000) }), 'waiting', 20_150],
    [stand({ expires_at: inMs(-5) }), 'refreshing', 1_000],
    [stand({ expires_at: null }), 'waiting', 5_000],
    [stand({ state: 'expired' }), 'expired', undefined],
    [stand({ state: 'passkey_required' }), 'passkey', 1_000],
    [stand({ state: 'connected' }), 'connected', undefined],
    [stand(undefined, lost), 'failed', 4_000],
    [stand({ expires_at: inMs(9_000) }, refused), 'failed', undefined],
    [stand({ state: 'connected' }, lost), 'connected', 4_000],
  ] as const)('%#: %j is %s', (standing, phase, next) => {
    expect(toPhase(standing)).toBe(phase)
    expect(nextPollMs(standing)).toBe(next)
  })

  it('hides the code while the service is unreachable, but not a completed connection', () => {
    const code = { view: view({ expires_at: inMs(20_000) }), problem: undefined, nowMs, isOffline: true }
    expect(toPhase(code)).toBe('offline')
    expect(toPhase({ ...code, view: view({ state: 'connected' }) })).toBe('connected')
  })

  it('does not offer a new code if one is requested automatically', () => {
    const expired = { view: view({ state: 'expired' }), problem: undefined, nowMs }
    expect(toPhase({ ...expired, restarts: true })).toBe('refreshing')
  })

  it('shows why a passkey failed before another code is created, on the wall too', () => {
    const expired = { view: view({ state: 'expired' }), problem: undefined, nowMs, end: 'refused' as const }
    expect(toPhase(expired)).toBe('unconfirmed')
    expect(toPhase({ ...expired, restarts: true })).toBe('unconfirmed')
    expect(toPhase({ ...expired, view: view({ state: 'pending' }) })).toBe('refreshing')
  })

  it('counts down to the expiry of the code', () => {
    expect(leftMs(view({ expires_at: inMs(1_500) }), nowMs)).toBe(1_500)
    expect(leftMs(view({ expires_at: inMs(-1) }), nowMs)).toBe(0)
    expect(leftMs(undefined, nowMs)).toBeUndefined()
    const passkey = { step: 'sign', origin: 'https://web.whatsapp.com', deadline: inMs(600_000), attempt: 1 } as const
    expect(leftMs(view({ state: 'passkey_required', passkey }), nowMs)).toBe(600_000)
    expect([59_001, 60_000, 7_000, 1, 0].map(leftText)).toEqual(['1:00', '1:00', '0:07', '0:01', '0:00'])
  })

  it('accepts a number in any spelling', () => {
    expect(parsePhoneNumber('+1 (202) 555-0123')).toBe('12025550123')
    expect(parsePhoneNumber('0055 11 98765 4321')).toBe('5511987654321')
    expect(parsePhoneNumber('12345')).toBeUndefined()
    expect(parsePhoneNumber('')).toBeUndefined()
  })

  it('suggests a free sandbox number without faults', () => {
    const taken = new Set<string>()
    for (let n = 0; n < 150; n++) taken.add(freeSandboxNumber(taken))
    expect(taken.size).toBe(150)
    expect([...taken].filter((number) => number.endsWith('0190'))).toEqual([])
    expect([...taken].every((number) => /^1\d{3}55501\d{2}$/.test(number))).toBe(true)
  })
})
