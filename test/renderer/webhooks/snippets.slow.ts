import { beforeAll, describe, expect, test } from 'vitest'
import { signature } from '../../../main/capabilities/webhooks/signature.ts'
import { Secret } from '../../../main/kernel/secret.ts'
import { SNIPPET_LANGUAGES, SNIPPETS } from '../../../renderer/rooms/webhooks/snippets.ts'
import { verdictsOf, type SignedDelivery } from '../../support/snippets.ts'

const SECRET = 'whsec_3kq8Qv0m7uY2bT5rW1xN9cJ4hL6dF8gS0aZpE7iq9Zk'
/** Spaces and letters that a parser would write otherwise: verified bytes, not verified meaning. */
const BODY = '{ "event_id":"evt_01",  "data":{"text":"Olá, \\u00e7a va? 👍"} }\n'

function signed(secret: string, secondsAgo = 0): SignedDelivery {
  const sentAt = Math.floor(Date.now() / 1_000) - secondsAgo
  return {
    headers: {
      'content-type': 'application/json',
      'x-service-timestamp': String(sentAt),
      'x-service-signature': signature(new Secret(secret), sentAt, Buffer.from(BODY)),
    },
    body: BODY,
    secret: SECRET,
  }
}

const genuine = signed(SECRET)
const rotating = signed('whsec_new')
const CASES: readonly (readonly [string, SignedDelivery, boolean])[] = [
  ['a genuine delivery', genuine, true],
  ['one of four minutes ago', signed(SECRET, 240), true],
  ['one of six minutes ago', signed(SECRET, 360), false],
  ['one of six minutes ahead', signed(SECRET, -360), false],
  ['another body', { ...genuine, body: BODY.replace('evt_01', 'evt_02') }, false],
  ['the same JSON written otherwise', { ...genuine, body: JSON.stringify(JSON.parse(BODY)) }, false],
  ['another secret', { ...genuine, secret: `${SECRET}x` }, false],
  ['no signature', { ...genuine, headers: without(genuine.headers, 'x-service-signature') }, false],
  ['no timestamp', { ...genuine, headers: without(genuine.headers, 'x-service-timestamp') }, false],
  ['a timestamp of words', { ...genuine, headers: { ...genuine.headers, 'x-service-timestamp': 'now' } }, false],
  ['a signature cut short', { ...genuine, headers: { ...genuine.headers, 'x-service-signature': 'sha256=' } }, false],
  [
    'one of a rotation, to a receiver with the old secret',
    {
      ...rotating,
      headers: {
        ...rotating.headers,
        'x-service-signature-previous': signature(
          new Secret(SECRET),
          Number(rotating.headers['x-service-timestamp']),
          Buffer.from(BODY),
        ),
      },
    },
    true,
  ],
]

function without(headers: Readonly<Record<string, string>>, gone: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== gone))
}

/** Installing an interpreter, or compiling Go's library for the first time, takes its time; afterwards a second. */
const FIRST_TIME_MS = 240_000

describe.each(SNIPPET_LANGUAGES)('the snippet in %s', (language) => {
  let verdicts: readonly boolean[] = []

  beforeAll(() => {
    verdicts = verdictsOf(
      language,
      SNIPPETS[language].code,
      CASES.map(([, delivery]) => delivery),
    )
  }, FIRST_TIME_MS)

  test.each(CASES.map(([name, , isGood], index) => ({ name, says: isGood ? 'accepts' : 'refuses', isGood, index })))(
    '$says $name',
    ({ isGood, index }) => {
      expect(verdicts[index]).toBe(isGood)
    },
  )
})
