import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWhatsApp, type WhatsApp } from './index.ts'
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
  expect(second.socket.user).toMatchObject({ id: '12025550200:11@s.whatsapp.net', lid: `${shop.lid}:11@lid` })
  await expect.poll(() => device.isOnline).toBe(true)
  expect(device.preKeysLeft).toBeGreaterThan(800)
})
