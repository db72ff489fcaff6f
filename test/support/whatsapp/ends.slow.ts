import { afterAll, beforeAll, expect, test } from 'vitest'
import { Curve } from 'baileys'
import * as curve from 'libsignal/src/curve.js'
import { startWhatsApp } from '../stand-in.ts'
import type { Ending, WhatsApp } from './index.ts'
import { rawClient, type RawClient } from './raw-client.ts'
import { linked, ready, sharedLine } from './raw-scene.ts'

const SHOP = '12025550200'
const ANA = '12025550101'
const ANA_JID = `${ANA}@s.whatsapp.net`

let whatsapp: WhatsApp
const connected = sharedLine(() => whatsapp, SHOP)
beforeAll(async () => {
  whatsapp = await startWhatsApp()
  whatsapp.takeRoute()
})
afterAll(() => whatsapp.close())

test.each<[Ending, number]>([
  ['restart', 515],
  ['unavailable', 503],
  ['replaced', 440],
  ['bad_session', 500],
  ['stream_end', 428],
  ['no_multidevice', 411],
  ['dropped', 428],
])('a connection that ends by %s is told as %i', async (ending, code) => {
  const { client, device, kept } = await connected()
  device.end(ending)
  expect(await client.closed()).toBe(code)
  await rawClient(kept).open()
})

test('a client that is removed from the account is told so, and stays out', async () => {
  const { client, device, kept } = await linked(whatsapp, '12025550201')
  device.end('removed')
  expect(await client.closed()).toBe(401)
  expect(await rawClient(kept).closed()).toBe(401)
})

test.each([401, 402, 403])('a login that is refused with %i is told so, until it is let in again', async (reason) => {
  const { client, device, kept } = await connected()
  device.refuse({ reason })
  expect(await client.closed()).toBe(reason)
  expect(await rawClient(kept).closed()).toBe(reason)
  device.refuse(null)
  await rawClient(kept).open()
})

test('a version that is too old is refused with 405, linked or not', async () => {
  const { client, kept } = await connected()
  whatsapp.faults.demandVersion(9_999_999_999)
  await client.end()
  expect(await rawClient(kept).closed()).toBe(405)
  expect(await rawClient().closed()).toBe(405)
  whatsapp.faults.demandVersion(0)
  await rawClient(kept).open()
})

test('the same installation from two places: the first one is replaced', async () => {
  const { client, kept, device } = await connected()
  const second = rawClient(kept)
  expect(await client.closed()).toBe(440)
  await second.open()
  expect(device.isOnline).toBe(true)
})

test('a logout ends the link on both sides', async () => {
  const { client, kept, phone } = await linked(whatsapp, '12025550202')
  await client.socket.logout()
  expect(await client.closed()).toBe(401)
  await expect.poll(() => phone.linked).toEqual([])
  expect(await rawClient(kept).closed()).toBe(401)
})

test('six QR codes that nobody scans end with 408', async () => {
  const client = rawClient(undefined, { qrTimeout: 50 })
  expect(await client.closed()).toBe(408)
  expect(new Set(client.updates.flatMap(({ qr }) => (qr === undefined ? [] : [qr])))).toHaveProperty('size', 6)
})

test('a pairing with a tampered secret fails with 500, and links nothing', async () => {
  const client = rawClient()
  const shop = whatsapp.phone('12025550203')
  await expect(shop.scan(await client.qr(), { tamper: 'hmac' })).rejects.toThrow('hung up')
  expect(await client.closed()).toBe(500)
  expect(shop.linked).toEqual([])
})

test('a stale QR code, and one of a client that has gone, link nothing', async () => {
  const client = rawClient()
  const qr = await client.qr()
  await client.end()
  await expect.poll(() => whatsapp.connections).toBe(0)
  await expect(whatsapp.phone(SHOP).scan(qr)).rejects.toThrow('not valid any more')
})

test('an upgrade that is refused, one that never comes, and a server that says nothing or nonsense', async () => {
  const { client, kept } = await connected()
  await client.end()
  // In these cases the library waits forever and reports nothing.
  for (const fault of [{ kind: 'status', status: 503 }, { kind: 'no_upgrade' }, { kind: 'no_hello' }] as const) {
    whatsapp.faults.onArrival(fault)
    const waiting = rawClient(kept, { connectTimeoutMs: 300 })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(
      waiting.updates.map(({ connection }) => connection),
      fault.kind,
    ).toEqual(['connecting'])
    await waiting.end()
  }
  whatsapp.faults.onArrival({ kind: 'garbage_hello' })
  expect(await rawClient(kept).closed()).toBeUndefined()
  whatsapp.faults.onArrival(null)
  await rawClient(kept).open()
})

test('a server whose certificates lead to another root is refused by a client that really verifies', async () => {
  const { client, kept } = await connected()
  await client.end()
  const shipped = Curve.verify
  Curve.verify = (key, message, signature) =>
    curve.verifySignature(key.length === 33 ? key : Buffer.concat([Buffer.from([5]), key]), message, signature)
  try {
    whatsapp.faults.onArrival({ kind: 'foreign_root' })
    expect(await rawClient(kept).closed()).toBe(400)
    whatsapp.faults.onArrival(null)
    await rawClient(kept).open()
  } finally {
    Curve.verify = shipped
  }
})

test('a peer that is frozen says nothing, and everything once it thaws', async () => {
  const { client, device } = await connected()
  device.freeze()
  await whatsapp.phone(ANA).say(SHOP, 'Anybody there?')
  await new Promise((resolve) => setTimeout(resolve, 150))
  expect(client.messages()).toEqual([])
  device.thaw()
  await expect.poll(() => client.messages()).toHaveLength(1)
})

test('a message is lost, taken without an ack, acknowledged and cut, held or refused, as the test wants', async () => {
  const { client, kept } = await connected()
  const ana = whatsapp.phone(ANA)
  const attempt = async (kind: 'lost' | 'cut_before_ack' | 'cut_after_ack', one: RawClient) => {
    whatsapp.faults.onMessage({ kind }, ANA)
    await one.socket.sendMessage(ANA_JID, { text: kind }).catch(() => {})
    expect(await one.closed()).toBe(428)
    return one.acks
  }
  expect(await attempt('lost', client)).toEqual([])
  expect(await attempt('cut_before_ack', (await connected()).client)).toEqual([])
  expect(await attempt('cut_after_ack', (await connected()).client)).toEqual(['good'])
  expect(ana.received().map(({ text }) => text)).toEqual(['cut_before_ack', 'cut_after_ack'])

  const last = rawClient(kept)
  await ready(last)
  whatsapp.faults.onMessage({ kind: 'refused', code: 463 })
  whatsapp.faults.onMessage({ kind: 'held', ms: 300 })
  await last.socket.sendMessage(ANA_JID, { text: 'refused' })
  await expect.poll(() => last.acks).toEqual(['463'])
  await last.socket.sendMessage(ANA_JID, { text: 'held' })
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(last.acks).toEqual(['463'])
  await expect.poll(() => last.acks).toEqual(['463', 'good'])
  await expect.poll(() => ana.received().map(({ text }) => text)).toEqual(['cut_before_ack', 'cut_after_ack', 'held'])
})
