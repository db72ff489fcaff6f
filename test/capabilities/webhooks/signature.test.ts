import { execFileSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { verify } from '@octokit/webhooks-methods'
import { expect, test } from 'vitest'
import { newSecret } from '../../../main/capabilities/webhooks/secret.ts'
import { signature, standardSignature } from '../../../main/capabilities/webhooks/signature.ts'
import { Secret } from '../../../main/kernel/secret.ts'
import { webhookWorld, type Seen } from './world.ts'

const SECRET = new Secret('whsec_3kq8Qv0m7uY2bT5rW1xN9cJ4hL6dF8gS0aZpE7iq9Zk')
const OPENSSL = 'openssl'
const AT = 1_767_614_400
const BODY = Buffer.from('{"event_id":"evt_1","data":{"text":"Grüße, 世界 👋"}}')

test('the value equals what openssl computes over timestamp, dot and raw body', () => {
  const text = Buffer.concat([Buffer.from(`${AT}.`), BODY])
  const printed = execFileSync(OPENSSL, ['dgst', '-sha256', '-hmac', SECRET.open()], { input: text }).toString()
  expect(signature(SECRET, AT, BODY)).toBe(`sha256=${printed.trim().split(' ').at(-1)}`)
})

test('a library made for GitHub webhooks verifies it with the whole secret as the key', async () => {
  const value = signature(SECRET, AT, BODY)
  const text = `${AT}.${BODY.toString()}`
  expect(await verify(SECRET.open(), text, value)).toBe(true)
  expect(await verify(SECRET.open().slice('whsec_'.length), text, value)).toBe(false)
  expect(await verify(SECRET.open(), `${AT + 1}.${BODY.toString()}`, value)).toBe(false)
})

test('a receiver can verify the exact bytes of the body', async () => {
  const world = await webhookWorld()
  const { secret } = await world.hook()
  await world.happen({ data: { text: 'Grüße, 世界 👋', note: 'a "quoted" \\ word' } })
  await world.idle()
  const { headers = {}, body = '' }: Partial<Seen> = world.seen[0] ?? {}
  expect(headers['X-Service-Timestamp']).toBe(String(world.clock.now() / 1_000))
  const value = headers['X-Service-Signature'] ?? ''
  expect(await verify(secret, `${headers['X-Service-Timestamp']}.${body}`, value)).toBe(true)
})

/** As libraries for Standard Webhooks compute it: they refuse a secret with another alphabet. */
function standardOf(secret: string, id: string, at: number, body: Buffer): string {
  const encoded = secret.slice('whsec_'.length)
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) throw new Error('incorrect characters for decoding')
  const key = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0))
  const message = Buffer.concat([Buffer.from(`${id}.${at}.`), body])
  return `v1,${createHmac('sha256', key).update(message).digest('base64')}`
}

test('2,000 new secrets are base64 of 33 bytes, and libraries for Standard Webhooks verify with each', () => {
  for (let n = 0; n < 2_000; n++) {
    const secret = newSecret({ bytes: randomBytes })
    expect(secret.open()).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/)
    expect(standardSignature(secret, 'evt_1', AT, BODY)).toBe(standardOf(secret.open(), 'evt_1', AT, BODY))
  }
})

test('a secret of an earlier version signs with the bytes it encodes, in either alphabet', () => {
  const earlier = 'whsec_-kq8Qv0m7uY2bT5rW1xN9cJ4hL6dF8gS0aZpE7iq9_k'
  const made = standardSignature(new Secret(earlier), 'evt_1', AT, BODY)
  expect(() => standardOf(earlier, 'evt_1', AT, BODY)).toThrow('incorrect characters')
  expect(made).toBe(standardOf('whsec_+kq8Qv0m7uY2bT5rW1xN9cJ4hL6dF8gS0aZpE7iq9/k', 'evt_1', AT, BODY))
})
