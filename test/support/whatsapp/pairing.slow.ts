import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildAckStanza, type BinaryNode } from 'baileys'
import { randomBytes } from 'node:crypto'
import { startWhatsApp } from '../stand-in.ts'
import type { WhatsApp } from './index.ts'
import { nothingKept, rawClient } from './raw-client.ts'

let whatsapp: WhatsApp
beforeAll(async () => {
  whatsapp = await startWhatsApp()
  whatsapp.takeRoute()
})
afterAll(() => whatsapp.close())

test('a client shows a QR code, is scanned, restarts and is open', async () => {
  const shop = whatsapp.phone('12025550200')
  const kept = nothingKept()
  const first = rawClient(kept)
  const qr = await first.qr()
  expect(qr).toMatch(/^https:\/\/wa\.me\/settings\/linked_devices#2@/)
  const device = await shop.scan(qr)
  expect(await first.closed()).toBe(515)
  const second = rawClient(kept)
  await second.open()
  expect(second.socket.user).toMatchObject({
    id: `${shop.number}:${device.id}@s.whatsapp.net`,
    lid: `${shop.lid}:${device.id}@lid`,
  })
  await expect.poll(() => device.isOnline).toBe(true)
  expect(device.preKeysLeft).toBeGreaterThan(800)
})

const FAILED = 'could not link the device'
const REFRESH = { type: 'companion_reg_refresh', acks: [{ class: 'notification', type: 'companion_reg_refresh' }] }

/**
 * A client that handles a refresh, which the library does not: it acknowledges the notification and changes its
 * secret.
 */
async function refreshingClient() {
  const kept = nothingKept()
  const client = rawClient(kept)
  const tags: string[] = []
  client.socket.ws.on('CB:notification,type:companion_reg_refresh', (node: BinaryNode) => {
    tags.push(...(Array.isArray(node.content) ? node.content.map(({ tag }) => tag) : []))
    kept.creds.advSecretKey = randomBytes(32).toString('base64')
    void client.socket.sendNode(buildAckStanza(node))
  })
  const shown = await client.qr()
  return { client, shown, tags, redrawn: () => withSecret(shown, kept.creds.advSecretKey) }
}

const withSecret = (qr: string, secret: string) => qr.split(',').with(3, secret).join(',')

test.each(['companion_reg_refresh', 'pair-device-rotate-qr'] as const)(
  'the first scan with a camera fails with %s, and the same code with a new secret links',
  async (refreshTag) => {
    const shop = whatsapp.phone(refreshTag === 'companion_reg_refresh' ? '12025550204' : '12025550205')
    shop.behave({ scansWith: 'camera', refreshTag })
    const { client, shown, tags, redrawn } = await refreshingClient()
    const applicant = whatsapp.applicant(shown)
    await expect(shop.scan(shown)).rejects.toThrow(FAILED)
    await expect.poll(() => applicant.notices).toMatchObject([REFRESH])
    expect(tags).toEqual([refreshTag])
    expect(redrawn()).not.toBe(shown)
    await expect(shop.scan(shown)).rejects.toThrow(FAILED)
    await shop.scan(redrawn())
    expect(await client.closed()).toBe(515)
    expect(applicant).toMatchObject({ notices: [REFRESH], isConnected: false })
  },
)

test('a client that ignores the refresh links nothing', async () => {
  const shop = whatsapp.phone('12025550206')
  shop.behave({ scansWith: 'camera' })
  const client = rawClient()
  const qr = await client.qr()
  for (const attempt of [1, 2, 3]) await expect(shop.scan(qr), `attempt ${attempt}`).rejects.toThrow(FAILED)
  expect(whatsapp.applicant(qr).notices).toMatchObject([{ type: 'companion_reg_refresh', acks: [] }])
  expect(shop.linked).toEqual([])
})

test('a code that was refreshed before anybody scanned it links only as it is drawn now', async () => {
  const shop = whatsapp.phone('12025550207')
  const { client, shown, redrawn } = await refreshingClient()
  whatsapp.applicant(shown).refresh(shown)
  await expect.poll(redrawn).not.toBe(shown)
  await expect(shop.scan(shown)).rejects.toThrow(FAILED)
  await shop.scan(redrawn())
  expect(await client.closed()).toBe(515)
})

test('a refresh that comes while the link is made changes nothing for a client that leaves its secret alone', async () => {
  const client = rawClient()
  const qr = await client.qr()
  const linking = whatsapp.phone('12025550209').scan(qr)
  whatsapp.applicant(qr).refresh(qr)
  await linking
  expect(await client.closed()).toBe(515)
  expect(whatsapp.applicant(qr).notices).toHaveLength(1)
})

test('a code whose refs have expired links nothing', async () => {
  const client = rawClient()
  const qr = await client.qr()
  whatsapp.applicant(qr).expireRefs()
  await expect(whatsapp.phone('12025550208').scan(qr)).rejects.toThrow('not valid any more')
})
