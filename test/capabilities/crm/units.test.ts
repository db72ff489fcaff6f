import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../main/capabilities/crm/bridge.ts'
import { faultOf } from '../../../main/capabilities/crm/ghl/faults.ts'
import { GhlFailure } from '../../../main/capabilities/crm/ghl/http.ts'
import { fieldsOf } from '../../../main/capabilities/crm/ghl/fields.ts'
import { formOf } from '../../../main/capabilities/crm/ghl/form.ts'
import { createLimiter } from '../../../main/capabilities/crm/ghl/limiter.ts'
import { keyOf } from '../../../main/capabilities/crm/keys.ts'
import { numbersOf } from '../../../main/capabilities/crm/people.ts'
import { partsOfWritten } from '../../../main/capabilities/crm/written.ts'
import { readMultipart } from '../../../main/simulators/ghl/multipart.ts'
import { fakeClock } from '../../support/clock.ts'
import { seededRandom } from '../../support/random.ts'

describe('the rate limiter', () => {
  const refusalOf = (act: () => void) => {
    try {
      act()
      return null
    } catch (error) {
      return error instanceof BridgeError ? error.fault : error
    }
  }

  test('allows a hundred calls in ten seconds for each location, and then says how long to wait', async () => {
    const clock = fakeClock()
    const limiter = createLimiter(clock)
    for (let i = 0; i < 100; i++) limiter.take('a')
    expect(refusalOf(() => limiter.take('a'))).toEqual({ kind: 'wait', waitMs: 10_000, code: 'rate_limited' })
    // Another location has a limit of its own.
    expect(refusalOf(() => limiter.take('b'))).toBeNull()
    await clock.advance(10_000)
    expect(refusalOf(() => limiter.take('a'))).toBeNull()
  })

  test('adopts the limits in the response headers, which include calls of others', () => {
    const limiter = createLimiter(fakeClock())
    limiter.take('a')
    limiter.learn('a', {
      'x-ratelimit-max': '50',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-interval-milliseconds': '1000',
    })
    limiter.take('a')
    expect(refusalOf(() => limiter.take('a'))).toMatchObject({ kind: 'wait' })
  })
})

const limited = (headers: Readonly<Record<string, string>>) => new GhlFailure('Too many requests', 429, { headers })
const refused = (status: number, message = '') => new GhlFailure(message, status)
const unanswered = (wasSent: boolean) => new GhlFailure('No answer', null, { wasSent })

test.each<[string, GhlFailure, object]>([
  [
    '429 with an interval',
    limited({ 'x-ratelimit-interval-milliseconds': '9000', 'x-ratelimit-daily-remaining': '5' }),
    { kind: 'wait', waitMs: 9_000, code: 'rate_limited' },
  ],
  [
    '429 at the end of the daily limit',
    limited({ 'x-ratelimit-daily-remaining': '0', 'x-ratelimit-daily-reset': '60000' }),
    { kind: 'wait', waitMs: 60_000, code: 'daily_limit' },
  ],
  ['429 without headers', limited({}), { kind: 'wait', waitMs: 10_000, code: 'rate_limited' }],
  ['401', refused(401), { kind: 'reconnect', code: 'reconnect_required' }],
  ['403', refused(403), { kind: 'reconnect', code: 'missing_permission' }],
  ['404', refused(404), { kind: 'contact_gone', code: 'contact_refused' }],
  ['422', refused(422, 'phone must be valid'), { kind: 'refused', code: 'message_refused' }],
  ['500', refused(500), { kind: 'unknown', code: 'unreachable' }],
  ['no answer to a request that was not sent', unanswered(false), { kind: 'wait', waitMs: null, code: 'unreachable' }],
  ['no answer to a request that was sent', unanswered(true), { kind: 'unknown', code: 'unreachable' }],
])('%s, to a call that must not be repeated, is classified', (_name, error, fault) => {
  expect(faultOf(error, false).fault).toEqual(fault)
})

test('an error of a call that may be repeated always means to wait', () => {
  expect(faultOf(refused(500), true).fault.kind).toBe('wait')
  expect(faultOf(unanswered(true), true).fault.kind).toBe('wait')
})

test('the idempotency key contains the external id, and the number of the part', () => {
  expect(keyOf('ghl', 'abc', 0)).toBe('ghl:abc')
  expect(keyOf('webhook', 'abc', 2)).toBe('crm:abc#2')
})

test('all spellings of a phone number are found', () => {
  expect(numbersOf('551187654321')).toEqual({ phone: '5511987654321', all: ['5511987654321', '551187654321'] })
  expect(numbersOf('5511987654321')).toEqual({ phone: '5511987654321', all: ['5511987654321', '551187654321'] })
  expect(numbersOf('12025550123')).toEqual({ phone: '12025550123', all: ['12025550123'] })
})

const file = (url: string) => ({ url, mediaType: null, filename: null })
test.each([
  ['text alone', 'Hi', [], [{ text: 'Hi' }]],
  [
    'a picture with a caption',
    'Hi',
    [file('https://x/a.JPG?b')],
    [{ media_url: 'https://x/a.JPG?b', media_type: 'image', caption: 'Hi' }],
  ],
  [
    'text beside audio is sent separately',
    'Hi',
    [file('https://x/a.ogg')],
    [{ text: 'Hi' }, { media_url: 'https://x/a.ogg', media_type: 'audio' }],
  ],
  [
    'a long text is sent separately, not as a caption',
    'x'.repeat(1_025),
    [file('https://x/a.png')],
    [{ text: 'x'.repeat(1_025) }, { media_url: 'https://x/a.png', media_type: 'image' }],
  ],
  [
    'a file of an unknown type is a document',
    '',
    [file('https://x/a')],
    [{ media_url: 'https://x/a', media_type: 'document' }],
  ],
  ['an empty message has no parts', '', [], []],
])('%s', (_name, text, attachments, parts) => {
  expect(partsOfWritten({ text, attachments })).toEqual(parts)
})

test('fields are mapped as the field map defines, and empty values are omitted', () => {
  const person = {
    phone: '1',
    spellings: [],
    isOptedOut: false,
    values: { name: 'Ada', tags: ['a', 'b'], profile_name: '' },
  }
  const map = [
    { from: 'name', to: 'firstName' },
    { from: 'tags', to: 'tags' },
    { from: 'tags', to: 'labels' },
    { from: 'profile_name', to: 'lastName' },
  ] as const
  expect(fieldsOf(map, person)).toEqual({
    firstName: 'Ada',
    tags: ['a', 'b'],
    customFields: [{ id: 'labels', field_value: 'a, b' }],
  })
})

test('a multipart form with a file can be parsed without changes', () => {
  const bytes = Buffer.from('\r\n--not the end\r\n\0\u{1F600}')
  const { contentType, bytes: body } = formOf(
    seededRandom(1),
    { locationId: 'L' },
    { filename: 'a"b.png', mimeType: 'image/png', bytes },
  )
  const parts = readMultipart(contentType, body)
  expect(parts?.map(({ name, filename, mimeType }) => [name, filename, mimeType])).toEqual([
    ['locationId', null, 'text/plain'],
    ['fileAttachment', 'a_b.png', 'image/png'],
  ])
  expect(parts?.[1]?.bytes.equals(bytes)).toBe(true)
  expect(readMultipart('text/plain', body)).toBeNull()
  expect(readMultipart(contentType, body.subarray(0, 60))).toEqual([])
  // Two million parts would hold up everybody.
  const many = Buffer.from(`${'--x\r\n\r\n\r\n'.repeat(60)}--x--`)
  expect(readMultipart('multipart/form-data; boundary=x', many)).toBeNull()
})
