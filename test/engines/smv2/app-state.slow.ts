import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { proto, type LTHashState } from 'baileys'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import type { Phone } from '../../support/whatsapp/index.ts'
import { COLLECTIONS, type CollectionName } from '../../support/whatsapp/ledger.ts'
import type { Spoilt } from '../../support/whatsapp/spoilt.ts'
import { child, children } from '../../support/whatsapp/stanza.ts'
import { lineWorld, type LineWorld } from './line-world.ts'
import { listenForObjections } from './objections.ts'

const OURS = '12025550200'
const ANA = '12025550101'

let world: LineWorld
let phone: Phone
let objections: readonly string[]

beforeEach(async () => {
  const listening = listenForObjections()
  objections = listening.heard
  world = await lineWorld({ log: listening.log })
  phone = world.whatsapp.phone(OURS, { name: 'Shop' })
})
afterEach(() => world.close())

/** Version and hash, as they are stored and as the phone has them. */
function here(shop: EngineInstance, name: CollectionName): { version: number; hash: string } {
  const state = world.keys(shop, 'app-state-sync-version')[name] as LTHashState | undefined
  return { version: state?.version ?? 0, hash: Buffer.from(state?.hash ?? Buffer.alloc(128)).toString('hex') }
}
function there(name: CollectionName): { version: number; hash: string } {
  const { version, hash } = phone.appState.ledger(name)
  return { version, hash: hash.toString('hex') }
}
const isSame = (shop: EngineInstance) =>
  COLLECTIONS.every((name) => JSON.stringify(here(shop, name)) === JSON.stringify(there(name)))
const synced = (shop: EngineInstance) => until('the same on both sides', () => isSame(shop))

/** What the client asked for last, of the settings. */
function asked(): Readonly<Record<string, string>> | undefined {
  const last = phone.device.heard.findLast(({ attrs }) => attrs['xmlns'] === 'w:sync:app:state')
  return children(child(last, 'sync'), 'collection')[0]?.attrs
}

/** The name the network gave the account, as of the next connection. */
async function nameNow(shop: EngineInstance): Promise<string | null> {
  await until('all of it acknowledged', () => phone.device.waiting.length === 0)
  world.forget()
  phone.device.end('dropped')
  return (await world.heard(shop, 'connected')).name
}

async function worksBothWays(shop: EngineInstance, deadlineMs = 5_000): Promise<void> {
  expect((await world.send(shop, { to: ANA }, deadlineMs)).outcome).toMatchObject({ kind: 'accepted' })
  const words = `Still there? ${phone.device.heard.length}`
  await world.whatsapp.phone(ANA).say(OURS, words)
  await world.heard(shop, 'received', ({ text }) => text === words)
}

/** Five changes of a collection are handed out as one whole to those who begin. */
const archiveOften = () => {
  for (let at = 0; at < 5; at++) phone.appState.archive(ANA, at % 2 === 0)
}

test('the owner’s settings are known after pairing, without an error, and stay current after a restart', async () => {
  archiveOften()
  phone.appState.saveContacts(
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [String(12025551000 + at), 'Somebody'])),
  )
  phone.appState.mute(ANA, Date.now() + 3_600_000)
  const shop = await world.connect(OURS)
  await synced(shop)
  expect(COLLECTIONS.map((name) => here(shop, name).version)).toEqual([1, 1, 1, 5, 0])
  phone.appState.markRead(ANA, true)
  await synced(shop)

  await world.restart(shop)
  phone.appState.markRead(ANA, false)
  await synced(shop)
  expect(asked()).toEqual({ name: 'regular_low', version: '6', return_snapshot: 'false' })
  await worksBothWays(shop)
  expect(world.of(shop, 'link_lost')).toEqual([])
  expect(phone.device.logins).toBe(2)
  expect(objections).toEqual([])
})

test('the app state keys that the phone shares are stored encrypted', async () => {
  const shop = await world.connect(OURS)
  await synced(shop)
  phone.appState.renewKey()
  const stored = () => Object.keys(world.keys(shop, 'app-state-sync-key'))
  await until('both keys', () => stored().length === 2)
  const { keys } = phone.appState
  expect(stored()).toEqual(keys.map(({ id }) => id.toString('base64')))
  await world.restart(shop)

  const files = readdirSync(world.data.dir).filter((name) => name.startsWith('switchboard.db'))
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(world.data.dir, name))))
  for (const { id, secret } of keys) {
    expect(bytes.includes(id.toString('base64'))).toBe(true)
    for (const form of [secret, secret.toString('base64'), secret.toString('hex')])
      expect(bytes.includes(form)).toBe(false)
  }
})

test('app state keys from a stranger are ignored', async () => {
  const shop = await world.connect(OURS)
  await synced(shop)
  const forged = {
    keyId: { keyId: Buffer.alloc(6, 9) },
    keyData: { keyData: Buffer.alloc(32, 9), timestamp: Date.now() },
  }
  const type = proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_SHARE
  const share = { protocolMessage: { type, appStateSyncKeyShare: { keys: [forged] } } }
  await world.whatsapp.phone(ANA).send(OURS, share)
  await worksBothWays(shop)
  expect(Object.keys(world.keys(shop, 'app-state-sync-key'))).toEqual([phone.appState.keys[0]?.id.toString('base64')])
  expect(objections).toEqual(['dropping spoofed self-only protocolMessage from non-self origin'])
})

test('a hidden number becomes known once the owner saves the person, and the account gets its name from its owner', async () => {
  const shop = await world.connect(OURS)
  await synced(shop)
  const eve = world.whatsapp.phone('12025550102', { shows: 'lid_only' })
  await eve.say(OURS, 'Guess who')
  expect(await world.heard(shop, 'received')).toMatchObject({ from: eve.lid })
  phone.appState.saveContacts({ [eve.number]: 'Eve' })
  expect(await world.heard(shop, 'contact')).toEqual({ kind: 'contact', hiddenId: eve.lid, number: eve.number })
  phone.appState.nameMyself('Corner Shop')
  await synced(shop)
  expect(await nameNow(shop)).toBe('Corner Shop')
  expect(objections).toEqual([])
})

describe('an app state change with a wrong MAC', () => {
  test.each<Spoilt>(['value', 'index', 'collection', 'change'])(
    'of the %s is ignored, the connection stays open, and later changes are applied',
    async (which) => {
      const shop = await world.connect(OURS)
      await synced(shop)
      phone.appState.spoilNext(which)
      phone.appState.nameMyself('Somebody Else')
      await until('it was looked at', () => objections.length > 0 && phone.device.waiting.length === 0)
      expect(objections).toEqual(['failed to decode patch, skipping'])
      await worksBothWays(shop)
      expect(world.of(shop, 'link_lost')).toEqual([])
      expect(phone.device.logins).toBe(1)
      expect(await nameNow(shop)).toBe('Shop')
      phone.appState.nameMyself('Corner Shop')
      await until('the next version', () => here(shop, 'critical_block').version === 3)
      expect(await nameNow(shop)).toBe('Corner Shop')
      await worksBothWays(shop)
    },
  )

  test('in the full state sent at pairing leaves out only its own entry', async () => {
    for (let at = 0; at < 3; at++) phone.appState.archive(ANA, true)
    phone.appState.saveContacts({ [ANA]: 'Ana' })
    for (let at = 0; at < 4; at++) phone.appState.nameMyself(`Shop ${at}`)
    phone.appState.spoilNext('value')
    phone.appState.nameMyself('Somebody Else')
    const shop = await world.connect(OURS)
    await until(
      'all of it',
      () => here(shop, 'regular_low').version === 3 && here(shop, 'critical_block').version === 5,
    )
    expect(objections).toEqual(['LTHash verification failed on snapshot, continuing with partial state'])
    expect(here(shop, 'critical_unblock_low')).toEqual(there('critical_unblock_low'))
    await worksBothWays(shop)
    expect(await nameNow(shop)).toBeNull()
  })
})

test('while app state keys are late the number works, and it applies every change once they arrive', async () => {
  archiveOften()
  phone.appState.withholdKeys()
  const shop = await world.connect(OURS)
  await until('it was asked for', () => asked() !== undefined)
  await worksBothWays(shop)
  expect(here(shop, 'regular_low').version).toBe(0)
  phone.appState.shareKeys()
  await synced(shop)
  expect(world.of(shop, 'link_lost')).toEqual([])
})

describe('the file store', () => {
  test('no longer has the phone’s data: the number works, and gets the rest with the next change', async () => {
    archiveOften()
    world.whatsapp.cdn.refuseDownloads(410)
    const shop = await world.connect(OURS)
    await until('it was asked for', () => asked() !== undefined)
    await worksBothWays(shop)
    await world.restart(shop)
    await worksBothWays(shop)
    world.whatsapp.cdn.refuseDownloads(null)
    phone.appState.archive(ANA, false)
    await until('the collection', () => here(shop, 'regular_low').version === 6)
    expect(here(shop, 'regular_low')).toEqual(there('regular_low'))
  })

  test('accepts a request and never answers: this delays the number for seconds, not for minutes', async () => {
    const shop = await world.connect(OURS)
    await synced(shop)
    world.whatsapp.cdn.refuseDownloads('silence')
    phone.appState.saveContacts(
      Object.fromEntries(Array.from({ length: 20 }, (_, at) => [String(12025551000 + at), 'Somebody'])),
    )
    await until('it was asked for', () => asked()?.['name'] === 'critical_unblock_low')
    await worksBothWays(shop, 20_000)
    expect(world.of(shop, 'link_lost')).toEqual([])
  })
})
