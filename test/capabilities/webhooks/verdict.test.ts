import { expect, test } from 'vitest'
import type { AttemptResult, DeliveryState } from '../../../main/capabilities/webhooks/attempt.ts'
import { judge, pressure } from '../../../main/capabilities/webhooks/verdict.ts'
import type { OutboundAnswer } from '../../../main/outbound/outbound.ts'

const NOW = Date.UTC(2026, 0, 5, 12)
const at = {
  trigger: 'schedule',
  schedule: [10, 60, 600, 2_700, 7_200, 21_600, 43_200],
  fraction: 0.5,
  nowMs: NOW,
} as const
const manual = { ...at, trigger: 'manual' } as const
const fresh: DeliveryState = {
  status: 'pending',
  counted: 0,
  interrupted: 0,
  nextAttemptAtMs: NOW - 5,
  gapMs: 0,
  lane: 0,
  finalReason: null,
  deliveredAtMs: null,
}
const failing: DeliveryState = { ...fresh, status: 'failed', counted: 3, lane: 1, gapMs: 600_000 }
const last: DeliveryState = { ...failing, counted: 7 }
const exhausted: DeliveryState = { ...failing, status: 'exhausted', counted: 8, nextAttemptAtMs: null }
const delivered: DeliveryState = { ...fresh, status: 'delivered', nextAttemptAtMs: null, deliveredAtMs: NOW - 1_000 }

const answered = (status: number, headers = {}): AttemptResult => ({
  kind: 'answered',
  answer: { kind: 'response', status, headers, body: Buffer.alloc(0), truncated: false, remoteIp: null },
})
type Stage = Extract<OutboundAnswer, { kind: 'failure' }>['stage']
const broke = (stage: Stage): AttemptResult => ({
  kind: 'answered',
  answer: { kind: 'failure', stage, code: 'CODE', message: 'It broke (CODE).', sent: true },
})
const cut: AttemptResult = { kind: 'interrupted' }

test.each([200, 201, 204, 299])('%d delivers, from every status, by schedule and by hand', (status) => {
  for (const before of [fresh, failing, last]) {
    expect(judge(before, answered(status), at)).toMatchObject({
      status: 'delivered',
      outcome: 'success',
      counted: before.counted,
      isCounted: false,
      nextAttemptAtMs: null,
      deliveredAtMs: NOW,
      webhook: 'proved',
    })
  }
  expect(judge(exhausted, answered(status), manual)).toMatchObject({ status: 'delivered', webhook: 'proved' })
  expect(judge({ ...failing, nextAttemptAtMs: null, finalReason: 'expired' }, answered(status), manual)).toMatchObject({
    status: 'delivered',
    finalReason: null,
  })
})

test('a delivered one keeps its delivery time', () => {
  expect(judge(delivered, answered(200), manual).deliveredAtMs).toBe(NOW - 1_000)
  expect(judge(delivered, answered(500), manual)).toMatchObject({ status: 'delivered', webhook: 'none' })
})

test.each([100, 301, 307, 400, 401, 404, 418, 429, 500, 503, 599, 600])('%d is a failure that counts', (status) => {
  const verdict = judge(fresh, answered(status), at)
  expect(verdict).toMatchObject({
    status: 'failed',
    counted: 1,
    isCounted: true,
    lane: 1,
    outcome: 'http_error',
    webhook: 'none',
  })
  const isBusy = status === 429 || status === 503
  expect(verdict.nextAttemptAtMs).toBe(NOW + (isBusy ? 60_000 : 10_000))
  expect(verdict.gapMs).toBe(isBusy ? 60_000 : 10_000)
})

test.each(['blocked', 'dns', 'connect', 'tls', 'protocol', 'timeout'] as const)(
  'no answer because of %s counts, and says so',
  (stage) => {
    const verdict = judge(failing, broke(stage), at)
    expect(verdict).toMatchObject({
      status: 'failed',
      counted: 4,
      outcome: stage,
      statusCode: null,
      error: { code: 'CODE', message: 'It broke (CODE).' },
    })
  },
)

test('the eighth counted failure exhausts the delivery and counts against the webhook', () => {
  expect(judge(last, answered(500), at)).toMatchObject({
    status: 'exhausted',
    counted: 8,
    nextAttemptAtMs: null,
    webhook: 'exhausted',
  })
})

test.each([
  { name: 'the first attempt', before: fresh, counted: 1 },
  { name: 'the eighth failure', before: last, counted: 8 },
])('410 to $name closes the delivery and means the webhook is gone', ({ before, counted }) => {
  expect(judge(before, answered(410), at)).toMatchObject({
    status: 'failed',
    counted,
    isCounted: true,
    nextAttemptAtMs: null,
    finalReason: 'gone',
    webhook: 'gone',
  })
})

test('410 to a manual attempt closes an open delivery without counting, and no other', () => {
  expect(judge(failing, answered(410), manual)).toMatchObject({
    status: 'failed',
    counted: 3,
    isCounted: false,
    finalReason: 'gone',
    nextAttemptAtMs: null,
    webhook: 'gone',
  })
  expect(judge(exhausted, answered(410), manual)).toMatchObject({
    status: 'exhausted',
    finalReason: null,
    webhook: 'gone',
  })
  expect(judge(delivered, answered(410), manual)).toMatchObject({
    status: 'delivered',
    finalReason: null,
    webhook: 'gone',
  })
})

test('a failed manual attempt changes neither status nor count nor due time', () => {
  for (const before of [fresh, failing, last, exhausted, delivered]) {
    for (const ended of [answered(500), broke('timeout'), cut]) {
      expect(judge(before, ended, manual)).toMatchObject({ ...before, isCounted: false, webhook: 'none' })
    }
  }
})

test('three interruptions are free, the fourth counts', () => {
  let standing: DeliveryState = fresh
  for (const interrupted of [1, 2, 3]) {
    const verdict = judge(standing, cut, at)
    expect(verdict).toMatchObject({
      status: 'pending',
      counted: 0,
      interrupted,
      isCounted: false,
      lane: 1,
      outcome: 'interrupted',
    })
    expect(verdict.nextAttemptAtMs).toBe(NOW + 6_000)
    standing = { ...fresh, interrupted: verdict.interrupted }
  }
  expect(judge(standing, cut, at)).toMatchObject({ status: 'failed', counted: 1, interrupted: 4, isCounted: true })
})

test('a fault of this machine uses up no attempt', () => {
  const answer = {
    kind: 'failure',
    stage: 'connect',
    code: 'ENETUNREACH',
    message: 'No network.',
    sent: false,
  } as const
  expect(judge(failing, { kind: 'local_fault', answer }, at)).toMatchObject({
    status: 'failed',
    counted: 3,
    isCounted: false,
    outcome: 'local_fault',
    nextAttemptAtMs: NOW + 30_000,
  })
})

test('the window grows with success and halves when the receiver is slow, busy or unreachable', () => {
  expect(pressure(answered(204))).toBe('grow')
  for (const ended of [broke('timeout'), broke('connect'), answered(429), answered(503)])
    expect(pressure(ended)).toBe('halve')
  for (const ended of [answered(500), answered(404), broke('tls'), broke('blocked'), cut])
    expect(pressure(ended)).toBe('keep')
})
