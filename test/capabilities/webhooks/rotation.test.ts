import { expect, test } from 'vitest'
import { signature, standardSignature } from '../../../main/capabilities/webhooks/signature.ts'
import { Secret } from '../../../main/kernel/secret.ts'
import { ACCOUNT, HOUR, MINUTE, SECOND, webhookWorld, type Seen, type WebhookWorld } from './world.ts'

/** Which of these secrets the two signatures of the latest request were made with. */
async function signers(world: WebhookWorld, secrets: Record<string, string>) {
  await world.happen()
  await world.idle()
  const { headers = {}, body = '' }: Partial<Seen> = world.seen.at(-1) ?? {}
  const at = Number(headers['X-Service-Timestamp'])
  const made = (value: string | undefined) =>
    Object.keys(secrets).find((name) => signature(new Secret(secrets[name] ?? ''), at, Buffer.from(body)) === value)
  const found = [made(headers['X-Service-Signature']), made(headers['X-Service-Signature-Previous'])]
  const standard = found.flatMap((name) =>
    name === undefined
      ? []
      : [standardSignature(new Secret(secrets[name] ?? ''), headers['webhook-id'] ?? '', at, Buffer.from(body))],
  )
  // The header of Standard Webhooks carries the same signatures, the current one first.
  expect(headers['webhook-signature']).toBe(standard.join(' '))
  return found
}

test('S-08 during the overlap both secrets sign, to the second, and then only the new one', async () => {
  const world = await webhookWorld()
  const { id, secret: old } = await world.hook()
  const { secret: fresh, secret_last4 } = await world.webhooks().rotate(ACCOUNT, id, 86_400)
  expect(secret_last4).toBe(fresh.slice(-4))
  expect(await signers(world, { old, fresh })).toEqual(['fresh', 'old'])
  await world.pass(24 * HOUR - SECOND)
  expect(await signers(world, { old, fresh })).toEqual(['fresh', 'old'])
  await world.pass(SECOND)
  expect(await signers(world, { old, fresh })).toEqual(['fresh', undefined])
  expect(world.seen.at(-1)?.headers).not.toHaveProperty('X-Service-Signature-Previous')
})

test('the old secret is wiped within a minute of its end', async () => {
  const world = await webhookWorld()
  const { id } = await world.hook()
  await world.webhooks().rotate(ACCOUNT, id, 60)
  expect(world.hookRow(id)['prev_secret_enc']).not.toBeNull()
  await world.pass(2 * MINUTE)
  expect(world.hookRow(id)).toMatchObject({ prev_secret_enc: null, prev_expires_at: null })
})

test('S-08 without overlap the old secret stops immediately', async () => {
  const world = await webhookWorld()
  const { id, secret: old } = await world.hook()
  const { secret: fresh } = await world.webhooks().rotate(ACCOUNT, id, 0)
  expect(await signers(world, { old, fresh })).toEqual(['fresh', undefined])
  expect(world.hookRow(id)).toMatchObject({ prev_secret_enc: null, prev_expires_at: null })
})

test('S-08 a second rotation within the overlap drops the older secret', async () => {
  const world = await webhookWorld()
  const { id, secret: first } = await world.hook()
  const { secret: second } = await world.webhooks().rotate(ACCOUNT, id, 3_600)
  await world.pass(MINUTE)
  const { secret: third } = await world.webhooks().rotate(ACCOUNT, id, 60)
  expect(await signers(world, { first, second, third })).toEqual(['third', 'second'])
  expect(new Set([first, second, third]).size).toBe(3)
})

test('a delivery is signed with the secrets of the moment it is claimed, also after a restart', async () => {
  const world = await webhookWorld()
  const { id, secret: old } = await world.hook()
  const { secret: fresh } = await world.webhooks().rotate(ACCOUNT, id, 3_600)
  await world.crash()
  world.webhooks().start()
  expect(await signers(world, { old, fresh })).toEqual(['fresh', 'old'])
})

test('the secrets of an address are those its deliveries may be signed with now', async () => {
  const world = await webhookWorld()
  const { id, secret: old } = await world.hook('shop')
  const { secret: other } = await world.hook('other')
  const open = async (name: string) =>
    (await world.webhooks().signingSecrets(ACCOUNT, `https://catcher.sandbox/${name}`)).map((secret) => secret.open())
  expect(await open('shop')).toEqual([old])
  const { secret: fresh } = await world.webhooks().rotate(ACCOUNT, id, 60)
  expect(await open('shop')).toEqual([fresh, old])
  await world.pass(61 * SECOND)
  expect(await open('shop')).toEqual([fresh])
  expect(await open('other')).toEqual([other])
  expect(await open('nobody')).toEqual([])
  expect(
    await world.webhooks().signingSecrets('0197f0c2-0000-7c51-9d2b-000000000002', 'https://catcher.sandbox/shop'),
  ).toEqual([])
})
