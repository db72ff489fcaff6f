import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AccountId } from '../../main/kernel/ids.ts'
import {
  createOutbound,
  type SimulatedRequest,
  type Outbound,
  type OutboundAnswer,
  type OutboundRequest,
} from '../../main/outbound/outbound.ts'
import { fakeClock, type FakeClock } from '../support/clock.ts'

let clock: FakeClock
let outbound: Outbound
let asked: SimulatedRequest[]

const OK: OutboundAnswer = {
  kind: 'response',
  status: 200,
  headers: {},
  body: Buffer.from('ok'),
  truncated: false,
  remoteIp: null,
}

beforeEach(() => {
  clock = fakeClock()
  asked = []
  outbound = createOutbound({
    clock,
    trustedRanges: [],
    resolve: () => Promise.reject(new Error('nothing of the sandbox is resolved')),
    dial: () => {
      throw new Error('nothing of the sandbox is dialled')
    },
  })
  outbound.addResponder('catcher.sandbox', async (request) => {
    asked.push(request)
    return OK
  })
})

afterEach(() => outbound.close())

const post = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: 'POST',
  headers: { 'x-a': '1' },
  body: Buffer.from('{}'),
  from: { accountId: 'account-1' as AccountId },
  ...more,
})

describe('a sandbox host', () => {
  test('is answered inside the service, on behalf of the account', async () => {
    expect(await outbound.request(post('https://catcher.sandbox/orders?x=1'))).toEqual(OK)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ method: 'POST', headers: { 'x-a': '1' }, accountId: 'account-1' })
    expect(asked[0]?.url.href).toBe('https://catcher.sandbox/orders?x=1')
    expect(asked[0]?.body.toString()).toBe('{}')
  })

  test('may be stored as a URL', async () => {
    const url = await outbound.checkUrl('https://CATCHER.sandbox/orders', { schemes: ['https'], field: 'url' })
    expect(url.hostname).toBe('catcher.sandbox')
  })

  test.each(['https://other.sandbox/', 'https://sandbox/', 'https://x.catcher.sandbox/'])(
    'without a responder, %s, does not exist',
    async (url) => {
      await expect(outbound.checkUrl(url, { schemes: ['https'], field: 'url' })).rejects.toMatchObject({
        code: 'invalid_url',
      })
      expect(await outbound.request(post(url))).toMatchObject({ kind: 'failure', stage: 'blocked', sent: false })
    },
  )

  test('that hangs has the same time limit as a real one', async () => {
    outbound.addResponder('catcher.sandbox', () => new Promise(() => {}))
    const answer = outbound.request(post('https://catcher.sandbox/orders'))
    await clock.advance(9_999)
    let isSettled = false
    void answer.then(() => (isSettled = true))
    await clock.advance(0)
    expect(isSettled).toBe(false)
    await clock.advance(1)
    expect(await answer).toMatchObject({ stage: 'timeout', code: 'headers_timeout', sent: true })
    expect(clock.waiting()).toBe(0)
  })

  test('can be aborted like a real one', async () => {
    outbound.addResponder('catcher.sandbox', () => new Promise(() => {}))
    const abort = new AbortController()
    const answer = outbound.request(post('https://catcher.sandbox/orders', { signal: abort.signal }))
    abort.abort()
    expect(await answer).toMatchObject({ code: 'aborted' })
    expect(clock.waiting()).toBe(0)
  })

  test('is aborted when the service stops, and leaves no timer behind', async () => {
    outbound.addResponder('silent.sandbox', () => new Promise(() => {}))
    const answer = outbound.request(post('https://silent.sandbox/'))
    await outbound.close()
    expect(await answer).toMatchObject({ kind: 'failure', stage: 'protocol', code: 'aborted', sent: true })
    expect(clock.waiting()).toBe(0)
  })

  test('with an answer that is too long has it truncated', async () => {
    outbound.addResponder('media.sandbox', async () => ({ ...OK, body: Buffer.alloc(20_000) }))
    const answer = await outbound.request(post('https://media.sandbox/huge'))
    expect(answer).toMatchObject({ kind: 'response', truncated: true })
    expect(answer.kind === 'response' && answer.body.length).toBe(16 * 1024)
  })

  test('whose responder throws is a failure, not a rejection', async () => {
    outbound.addResponder('catcher.sandbox', () => Promise.reject(new Error('a bug of ours')))
    expect(await outbound.request(post('https://catcher.sandbox/'))).toMatchObject({
      kind: 'failure',
      code: 'responder_failed',
    })
  })
})
