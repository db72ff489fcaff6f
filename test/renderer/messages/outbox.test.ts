import { describe, expect, test } from 'vitest'
import { Problem } from '../../../renderer/app/problem.ts'
import {
  canRetry,
  isUncertain,
  notInThread,
  retryDelayMs,
  type OutboxMessage,
} from '../../../renderer/rooms/messages/outbox.ts'
import { message } from './build.ts'

const outgoing = (key: string, own: Partial<OutboxMessage> = {}): OutboxMessage => ({
  key,
  instanceId: 'i',
  chat: '12025550123',
  body: { to: '12025550123', text: 'hello' },
  createdAt: '2026-03-01T09:00:00.000Z',
  after: 'msg_1',
  state: 'sending',
  messageId: undefined,
  problem: undefined,
  isUnsettled: false,
  ...own,
})
const keys = (outbox: OutboxMessage[]) => outbox.map(({ key }) => key)
const out = (n: number, text = 'hello') => message(n, { direction: 'out', status: 'queued', text })

describe('a message being sent', () => {
  test('stays visible until the conversation has it', () => {
    expect(keys(notInThread([outgoing('a')], [message(1)]))).toEqual(['a'])
    expect(notInThread([outgoing('a', { state: 'accepted', messageId: 'msg_2' })], [message(1), out(2)])).toEqual([])
  })

  test('is matched by its text while its answer is pending', () => {
    expect(notInThread([outgoing('a')], [message(1), out(2)])).toEqual([])
    expect(keys(notInThread([outgoing('a', { after: 'msg_2' })], [message(1), out(2)]))).toEqual(['a'])
    expect(keys(notInThread([outgoing('a')], [message(1), message(2, { text: 'hello' })]))).toEqual(['a'])
  })

  test('a template is matched by its name', () => {
    const template = (name: string) => ({
      body: { to: '12025550123', cloud_api: { type: 'template', template: { name, language: { code: 'en' } } } },
    })
    const content = { type: 'template' as const, name: 'delivery', language: 'en', components: [] }
    const stored = message(2, { direction: 'out', status: 'queued', type: 'template', text: 'Hello Ana', content })
    expect(notInThread([outgoing('a', template('delivery'))], [message(1), stored])).toEqual([])
    expect(keys(notInThread([outgoing('a', template('other'))], [message(1), stored]))).toEqual(['a'])
    expect(keys(notInThread([outgoing('a')], [message(1), stored]))).toEqual(['a'])
  })

  test('the same text sent twice is two messages', () => {
    expect(notInThread([outgoing('a'), outgoing('b')], [message(1), out(2)])).toHaveLength(1)
    expect(notInThread([outgoing('a'), outgoing('b')], [message(1), out(2), out(3)])).toEqual([])
  })

  test('is not shown twice if its answer was lost', () => {
    const lost = outgoing('a', { state: 'failed', isUnsettled: true })
    expect(notInThread([lost], [message(1), out(2)])).toEqual([])
    expect(keys(notInThread([lost], [message(1)]))).toEqual(['a'])
  })

  test('a failed message stays visible after others', () => {
    expect(keys(notInThread([outgoing('a', { state: 'failed' })], [message(1), out(2)]))).toEqual(['a'])
  })
})

describe('a send without a success', () => {
  const problem = (status: number, code: string, isRetryable = false) => new Problem(status, code, '', { isRetryable })

  test.each([
    [problem(409, 'not_ready'), false, true],
    [problem(403, 'account_suspended'), false, true],
    [problem(409, 'account_frozen'), false, true],
    [problem(409, 'idempotency_conflict'), false, false],
    [problem(400, 'validation_error'), false, false],
    [problem(429, 'rate_limited', true), false, true],
    [problem(502, 'upstream_unavailable', true), true, true],
    [problem(504, 'upstream_timeout', true), true, true],
    [problem(0, 'unreachable', true), true, true],
  ])('%o is looked up: %s, and may be repeated with its key: %s', (found, uncertain, repeatable) => {
    expect([isUncertain(found), canRetry(found)]).toEqual([uncertain, repeatable])
  })

  test('retries the lookup of a running send a few times', () => {
    const running = problem(409, 'idempotency_in_progress', true)
    expect([0, 1, 4].map((tries) => retryDelayMs(running, tries))).toEqual([1_000, 2_000, 5_000])
    expect(retryDelayMs(running, 5)).toBeUndefined()
    expect(retryDelayMs(problem(502, 'upstream_unavailable', true), 0)).toBeUndefined()
  })
})
