import { describe, expect, test } from 'vitest'
import { holdToDocument, type Heard } from '../support/answers.ts'

/** The judge of every answer in these tests is judged itself: what it lets pass, nobody would notice. */

const HEADERS = {
  'x-request-id': 'req_1',
  'x-ratelimit-limit': '600',
  'x-ratelimit-remaining': '599',
  'content-type': 'application/json; charset=utf-8',
}
const ME = {
  account: { id: '019b8d3e-7a10-7c3f-9b1e-2f6d5c4b3a21', name: 'My agency' },
  scopes: ['ai:read'],
  allowed_instance_ids: null,
  key: null,
}
const ERROR = { code: 'not_found', message: 'There is nothing here.', request_id: 'req_1', retryable: false }

const heard = (status: number, body: unknown, headers: object = {}): Heard => ({
  status,
  headers: { ...HEADERS, ...headers },
  text: body === undefined ? '' : JSON.stringify(body),
})
const judge =
  (answer: Heard, path = '/v1/me', method = 'GET') =>
  () =>
    holdToDocument(method, path, answer)
const without = (name: string): Heard => {
  const { headers, ...rest } = heard(200, ME)
  return { ...rest, headers: Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name)) }
}

test('a correct answer passes', () => {
  expect(judge(heard(200, ME))).not.toThrow()
  expect(judge(heard(404, { error: ERROR }), '/nothing')).not.toThrow()
})

describe('an answer fails', () => {
  test.each(['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining'])('without %s', (name) => {
    expect(judge(without(name))).toThrow()
  })

  test.each([
    ['x-request-id', 'with space'],
    ['x-ratelimit-limit', '0'],
    ['x-ratelimit-remaining', '-1'],
    ['x-ratelimit-remaining', '601'],
    ['access-control-allow-origin', '*'],
    ['x-powered-by', 'anything'],
    ['x-ratelimit-reset', '5'],
  ])('with %s: %s', (name, value) => {
    expect(judge(heard(200, ME, { [name]: value }))).toThrow()
  })

  test.each([
    ['a field too many', { ...ME, admin: true }],
    ['a field too many further in', { ...ME, account: { ...ME.account, plan: 'gold' } }],
    ['a field missing', { ...ME, scopes: undefined }],
    ['a word that is not in the list', { ...ME, scopes: ['root'] }],
    ['a malformed id', { ...ME, account: { ...ME.account, id: 'urn:uuid:5' } }],
    [
      'a time without milliseconds',
      { ...ME, key: { id: ME.account.id, name: 'k', last4: 'abcd', expires_at: '2026-01-01T00:00:00Z' } },
    ],
    ['nothing', undefined],
  ])('with %s', (_name, body) => {
    expect(judge(heard(200, body))).toThrow()
  })

  test('with a status or code that the operation does not document', () => {
    expect(judge(heard(201, ME))).toThrow(/no such status/)
    expect(judge(heard(409, { error: { ...ERROR, code: 'not_ready' } }))).toThrow(/no such status/)
    const code = { error: { ...ERROR, code: 'storage_full', retryable: true } }
    expect(judge(heard(503, code))).toThrow(/no such code/)
  })

  test.each([
    ['a fifth field', { error: { ...ERROR, hint: 'x' } }],
    ['a field less', { error: { code: ERROR.code, message: ERROR.message, request_id: 'req_1' } }],
    ['something beside it', { error: ERROR, ok: false }],
    ['a code nobody knows', { error: { ...ERROR, code: 'oops' } }],
    ['the code of another status', { error: { ...ERROR, code: 'not_ready' } }],
    ['the wrong retryable', { error: { ...ERROR, retryable: true } }],
    ['another request id', { error: { ...ERROR, request_id: 'req_2' } }],
    ['a message that is no sentence', { error: { ...ERROR, message: 'not found' } }],
    ['a stack', { error: { ...ERROR, message: 'Boom at run (/app/x.js:5:7).' } }],
    ['a path of ours', { error: { ...ERROR, message: 'See /work/main/faces/http.ts.' } }],
    ['a word of the database', { error: { ...ERROR, message: 'SQLITE_BUSY happened.' } }],
    ['the name of a class', { error: { ...ERROR, message: 'TypeError was thrown.' } }],
  ])('with an error that has %s', (_name, body) => {
    expect(judge(heard(404, body), '/nothing')).toThrow()
  })

  test('without a header that its status requires', () => {
    const error = (code: string, retryable = false) => ({ error: { ...ERROR, code, retryable } })
    expect(judge(heard(401, error('unauthorized')))).toThrow()
    expect(judge(heard(401, error('unauthorized'), { 'www-authenticate': 'Bearer' }))).not.toThrow()
    expect(judge(heard(405, error('method_not_allowed')), '/nothing')).toThrow()
    expect(judge(heard(429, error('rate_limited', true)))).toThrow()
    expect(judge(heard(429, error('rate_limited', true), { 'retry-after': '1' }))).not.toThrow()
  })

  test('with a credential that a cache may store', () => {
    const view = { qr: null, pairing_code: null, state: 'pending', expires_at: null, attempt: 0 }
    const path = '/v1/instances/019b8d3e-7a10-7c3f-9b1e-2f6d5c4b3a21/qr'
    expect(judge(heard(200, view), path)).toThrow()
    expect(judge(heard(200, view, { 'cache-control': 'no-store' }), path)).not.toThrow()
  })
})
