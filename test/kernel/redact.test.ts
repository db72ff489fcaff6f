import { describe, expect, test } from 'vitest'
import { createIds } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { redact, redactText } from '../../main/kernel/redact.ts'
import { withRecentLines } from '../../main/kernel/recent-log.ts'
import { fakeClock } from '../support/clock.ts'

describe('a text for somebody else', () => {
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
  ])('holds no longer %s', (_what, text, hidden) => {
    expect(text).toContain(hidden)
    expect(redactText(text)).not.toContain(hidden)
  })

  test('keeps what says where the fault is', () => {
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

  test('names no folder of this machine', () => {
    expect(redactText('open /home/ada/sb/x.db and /home/ada', ['/home/ada/sb', '/home/ada'])).toBe('open ~/x.db and ~')
  })
})

test('a value is looked through to its depth, and ids of ours stay', () => {
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
  'an id of the kind %s stays, also one whose chance is digits alone',
  (_kind, make) => {
    const id = (make as (prefix: string) => string)('cmp')
    expect(id).toMatch(/0{9}/)
    expect(redact({ id })).toEqual({ id })
  },
)

describe('a log that remembers', () => {
  test('passes every line on, and keeps the last three hundred but for debugging', () => {
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
