import { expect, test } from 'vitest'
import { refusalOf } from '../../main/voice/gateways/sip/message-bounds.ts'
import { createTurnQueue } from '../../main/voice/gateways/sip/turn-queue.ts'

const HEADERS = ['f: <sip:office@host>;tag=1', 't: <sip:1001@host>', 'i: call-1', 'CSeq: 1 OPTIONS']
const VIAS = ['Via: SIP/2.0/TCP one;branch=z9hG4bK1', 'v: SIP/2.0/TCP two', ' ;branch=z9hG4bK2']
const message = (first: string, lines: readonly string[], body = '') => [first, ...lines, '', body].join('\r\n')
const request = (...more: readonly string[]) => message('OPTIONS sip:a@b SIP/2.0', [...VIAS, ...HEADERS, ...more])
const many = Array.from({ length: 200 }, () => 'X: y')

test('accepts a request of usual size with any body', () => {
  expect(refusalOf(request('Subject: hello'))).toBeNull()
  expect(refusalOf(message('INVITE sip:a@b SIP/2.0', HEADERS, 'a=b\r\n'.repeat(10_000)))).toBeNull()
})

test('a response repeats the headers it must repeat and has a tag', () => {
  expect(refusalOf(request(...many))?.answer?.split('\r\n')).toEqual([
    'SIP/2.0 400 Too Many Headers',
    'Via: SIP/2.0/TCP one;branch=z9hG4bK1',
    'Via: SIP/2.0/TCP two ;branch=z9hG4bK2',
    'From: <sip:office@host>;tag=1',
    'To: <sip:1001@host>;tag=refused',
    'Call-ID: call-1',
    'CSeq: 1 OPTIONS',
    ...['Content-Length: 0', '', ''],
  ])
  expect(refusalOf(request(`X: ${'y'.repeat(20_000)}`))?.answer).toMatch(/^SIP\/2\.0 513 Message Too Large\r\n/)
})

test.each([
  ['a response', message('SIP/2.0 200 OK', [...VIAS, ...HEADERS, ...many])],
  ['an ACK', message('ACK sip:a@b SIP/2.0', [...VIAS, ...HEADERS, ...many])],
  ['a request without Via', message('OPTIONS sip:a@b SIP/2.0', [...HEADERS, ...many])],
  ['what is no SIP', message('GARBAGE', many)],
])('drops %s that is too large without a response', (_, text) => {
  expect(refusalOf(text)).toEqual({ answer: null })
})

test('runs the first action immediately and the others in order, one per turn of the event loop', async () => {
  const inTurn = createTurnQueue()
  const ran: number[] = []
  for (const at of [1, 2, 3]) inTurn(() => void ran.push(at))
  expect(ran).toEqual([1])
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  await turn()
  expect(ran.length).toBeLessThan(3)
  await expect.poll(() => ran).toEqual([1, 2, 3])
})
