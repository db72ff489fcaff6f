import { execFileSync } from 'node:child_process'
import { verify } from '@octokit/webhooks-methods'
import { expect, test } from 'vitest'
import { signature } from '../../../main/capabilities/webhooks/signature.ts'
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

test('what a receiver gets verifies over the exact bytes of its body', async () => {
  const world = await webhookWorld()
  const { secret } = await world.hook()
  await world.happen({ data: { text: 'Grüße, 世界 👋', note: 'a "quoted" \\ word' } })
  await world.idle()
  const { headers = {}, body = '' }: Partial<Seen> = world.seen[0] ?? {}
  expect(headers['X-Service-Timestamp']).toBe(String(world.clock.now() / 1_000))
  const value = headers['X-Service-Signature'] ?? ''
  expect(await verify(secret, `${headers['X-Service-Timestamp']}.${body}`, value)).toBe(true)
})
