import { describe, expect, test } from 'vitest'
import { newSecret } from '../../main/capabilities/webhooks/secret.ts'
import { createIds } from '../../main/kernel/ids.ts'
import { newKey } from '../../main/kernel/keys.ts'
import { cause, silentLog } from '../../main/kernel/log.ts'
import { redact, redactText } from '../../main/kernel/redact.ts'
import { withRecentLines } from '../../main/kernel/recent-log.ts'
import { fakeClock } from '../support/clock.ts'
import { cpuTime } from '../support/cpu-time.ts'
import { seededRandom } from '../support/random.ts'

describe('a text of any length', () => {
  test.each(['a', 'a/', '.1-', '1 ', 'a@', 'key=', 'https://', '/link/', '+1'])(
    'is redacted quickly: %j repeated',
    async (part) => {
      const text = part.repeat(65_536 / part.length)
      expect(await cpuTime(() => redactText(text))).toBeLessThan(250)
    },
  )

  test('is cut off at a space, so that no part of a secret is left', () => {
    const secret = 'swb_5Q0h3vKk9bYt2mWcXr8LzP1nDfGsJa4eUo7i2Vk3Zq'
    const said = redactText(`${'word '.repeat(816)}${secret} and more`)
    expect(said).toBe(`${'word '.repeat(816).trim()} […]`)
  })
})

describe('a redacted text', () => {
  test.each([
    ['a key', 'key swb_5Q0h3vKk9bYt2mWcXr8LzP1nDfGsJa4eUo7i2Vk3Zq was refused', '5Q0h3vKk'],
    ['a webhook secret', 'signed with whsec_abc-DEF_123456', 'abc-DEF'],
    ['a header', 'authorization: Bearer eyJhbGciOi.J9', 'eyJ'],
    ['a one-time code', 'GET /console/#code=Zm9vYmFy', 'Zm9v'],
    ['what is named a password', '{"password":"hunter2 and more"}', 'hunter2'],
    ['the path and query of an address', 'POST https://hooks.example.com/in/4711?t=abc failed', '4711'],
    ['who an address signs in as', 'http://ada:lovelace@proxy.example/', 'lovelace'],
    ['a mail address', 'for ada@example.com', 'ada@'],
    ['a network address of a person', 'from 12025550100@s.whatsapp.net', '2025550100'],
    ['a telephone number', 'to +1 202 555 0147 now', '555'],
    ['a telephone number in a word', 'n12025550147x', '12025550147'],
    ['a telephone number that begins like this machine', 'to 127.0.0.1.202.555 now', '555'],
    ['a telephone number with dots', 'to 10.202.555.0147 now', '0147'],
    ['a telephone number in groups of three', 'to 192.168.555.014 now', '555'],
    ['a session token', 'cookie x 3q2-7wEAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRo', '3q2-7w'],
    ['a key in hex', 'key 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', '9f86'],
  ])('does not contain %s', (_what, text, hidden) => {
    expect(text).toContain(hidden)
    expect(redactText(text)).not.toContain(hidden)
  })

  test('keeps what is needed to find a fault', () => {
    const text =
      'SQLITE_FULL: database or disk is full at commit (groups.ts:41:7) after 12 tries at 2026-01-05T12:00:00.000Z'
    expect(redactText(text)).toBe(text)
    const copy = 'the copy ~/backups/switchboard-20260105T120000Z-hourly.db, or switchboard-20260105T120000Z-manual.db'
    expect(redactText(copy)).toBe(copy)
    const own =
      'http://127.0.0.1:4780 and https://127.0.0.1:65535, 127.0.0.1 or 127.10.20.30:80, [::1]:4780, localhost:4780, http://192.168.7.9:4780, 10.0.0.4'
    expect(redactText(own)).toBe(own)
    expect(redactText('https://hooks.example.com/a timed out')).toBe('https://hooks.example.com/[…] timed out')
  })

  test('contains no folder of this machine', () => {
    expect(redactText('open /home/ada/sb/x.db and /home/ada', ['/home/ada/sb', '/home/ada'])).toBe('open ~/x.db and ~')
  })
})

describe('secrets of every kind that Switchboard creates or stores', () => {
  const random = seededRandom(11)
  const base64url = (bytes: number) => random.bytes(bytes).toString('base64url')
  const letters = (length: number) =>
    Array.from(
      random.bytes(length),
      (byte) => 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'[byte % 62],
    ).join('')
  const ids = createIds(fakeClock(), random)
  const KINDS: Record<string, () => string> = {
    'an API key': () => newKey(random).open(),
    'a webhook secret': () => newSecret(random).open(),
    'a webhook secret of an earlier version': () => `whsec_${base64url(32)}`,
    'the token of an access link, an invitation, a session or an OAuth state': () => base64url(32),
    'a sign-in code, or the token of an onboarding page or a widget session': () => base64url(24),
    'the key of a widget': () => ids.tagged('wid'),
    'a secret key of Stripe': () => `sk_live_${letters(24)}`,
    'a restricted key of Stripe': () => `rk_test_${letters(24)}`,
    'a webhook secret of Stripe': () => `whsec_${letters(32)}`,
    'a token of Meta': () => `EAA${letters(60)}`,
    'an app secret of Meta': () => random.bytes(16).toString('hex'),
    'a JSON web token': () =>
      `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${Buffer.from('{"sub":1}').toString('base64url')}.${base64url(20)}`,
    'a private token of a CRM': () => `pit-${ids.uuid()}`,
    'a key of OpenAI': () => `sk-proj-${letters(20)}`,
    'a key of Anthropic': () => `sk-ant-api03-${base64url(30)}`,
    'a key of Google': () => `AIzaSy${base64url(25).slice(0, 33)}`,
    'a key of Groq': () => `gsk_${letters(24)}`,
    'the master key': () => random.bytes(32).toString('base64'),
  }
  /** What is left of a secret if somebody could still use, or guess, it. */
  const rest = (secret: string) => secret.slice(-10).replace(/=+$/, '')

  test.each(Object.entries(KINDS))('%s is not in a log line, an error or an event', (_kind, make) => {
    for (let n = 0; n < 300; n++) {
      const secret = make()
      const written = JSON.stringify([
        redact({ event: 'test.line', detail: `refused ${secret}, try again` }),
        redact({ event: 'test.error', cause: cause(new Error(`Invalid credential "${secret}"`)) }),
        redact({
          event: 'test.event',
          data: { list: [secret], at: { url: `https://example.com/${secret}?a=${secret}` } },
        }),
        redact({ event: 'test.path', path: `GET /link/${secret}` }),
      ])
      expect(written).not.toContain(rest(secret))
    }
  })

  test('a password, which can be any word, is redacted by the name of its field', () => {
    for (const name of [
      'password',
      'sip_password',
      'smtpPassword',
      'passphrase',
      'client_secret',
      'access_token',
      'api_key',
      'apiKey',
    ])
      for (const value of ['hunter2', 'tulips'])
        expect(
          JSON.stringify([
            redact({ event: 'test.field', [name]: value }),
            redact({ event: 'test.deep', trunk: { user: '1001', [name]: value } }),
            redact({ event: 'test.text', detail: `${name}=${value} ${name}: ${value} {"${name}":"${value}"}` }),
            redact({ event: 'test.error', cause: cause(new Error(`401 for ${name}="${value}"`)) }),
          ]),
        ).not.toContain(value)
  })

  test('long meaningful names are kept', () => {
    for (const text of [
      'createWebhookDeliveryAttemptRecorder failed',
      'x-ratelimit-remaining-and-other-header-names',
      'error code 131047, status_code: 500',
    ])
      expect(redactText(text)).toBe(text)
  })
})

test('nested values are redacted, and our own ids are kept', () => {
  const id = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'
  expect(
    redact({
      event: 'x',
      instanceId: id,
      deliveryId: 'dlv_ab12',
      ms: 4_711,
      cause: { message: 'for swb_abcdefgh', n: null },
      list: ['+12025550147'],
    }),
  ).toEqual({
    event: 'x',
    instanceId: id,
    deliveryId: 'dlv_ab12',
    ms: 4_711,
    cause: { message: 'for […]', n: null },
    list: ['[…]'],
  })
})

const idsOfDigits = createIds(fakeClock(), { bytes: (length) => Buffer.alloc(length), fraction: () => 0 })

test.each(Object.entries(idsOfDigits))(
  'an id of the kind %s is kept, even if its random part is only digits',
  (_kind, make) => {
    const id = (make as (prefix: string) => string)('cmp')
    expect(id).toMatch(/0{9}/)
    expect(redact({ id })).toEqual({ id })
  },
)

describe('a log that remembers recent lines', () => {
  test('passes every line on, and keeps the last 300 except debug lines', () => {
    const passed: string[] = []
    const note = (level: string) => (fields: { event: string }) => void passed.push(`${level} ${fields.event}`)
    const log = withRecentLines(
      { ...silentLog, debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') },
      { now: () => 5 },
    )
    log.debug({ event: 'd' })
    for (let n = 0; n < 299; n++) log.info({ event: `i${n}` })
    log.warn({ event: 'w', n: 1 })
    log.error({ event: 'e' })
    expect(passed).toHaveLength(302)
    expect(passed[0]).toBe('debug d')
    expect(log.lines()).toHaveLength(300)
    expect(log.lines()[0]).toMatchObject({ level: 'info', event: 'i1' })
    expect(log.lines().slice(-2)).toEqual([
      { at: 5, level: 'warn', event: 'w', n: 1 },
      { at: 5, level: 'error', event: 'e' },
    ])
  })
})
