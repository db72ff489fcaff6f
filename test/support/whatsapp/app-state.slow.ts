import { BufferJSON, encodeSyncdPatch, newLTHashState, proto, type LTHashState } from 'baileys'
import { expect, test } from 'vitest'
import { COLLECTIONS, type CollectionName } from './ledger.ts'
import { ready, linked, whatsappOfTest, type RawLine } from './raw-scene.ts'
import { rawClient, type Kept } from './raw-client.ts'
import { child, stanza } from './stanza.ts'

const SHOP = '12025550200'
const ANA = '12025550101'
const ANA_JID = `${ANA}@s.whatsapp.net`
const STRICT = { appStateMacVerification: { patch: true, snapshot: true } }

const stateOf = ({ rows }: Kept, name: CollectionName): LTHashState | undefined => {
  const row = rows.get(`app-state-sync-version/${name}`)
  return row === undefined ? undefined : (JSON.parse(row, BufferJSON.reviver) as LTHashState)
}
/** The version and hash of a collection, as stored by the client and by the phone. */
const both = ({ kept, phone }: RawLine, name: CollectionName) => {
  const { version, hash } = stateOf(kept, name) ?? { version: 0, hash: Buffer.alloc(128) }
  const there = phone.appState.ledger(name)
  return [
    { version, hash: Buffer.from(hash).toString('hex') },
    { version: there.version, hash: there.hash.toString('hex') },
  ]
}
const theSame = (line: RawLine, name: CollectionName) =>
  expect
    .poll(() => {
      const [here, there] = both(line, name)
      return JSON.stringify(here) === JSON.stringify(there)
    })
    .toBe(true)

test('a client that is linked gets the keys, and with them everything the owner has set', async () => {
  const whatsapp = await whatsappOfTest()
  const { appState } = whatsapp.phone(SHOP, { name: 'Shop' })
  // More changes than one stanza can contain, and enough for a snapshot with later versions.
  const people = Array.from({ length: 30 }, (_, at) => [String(12025551000 + at), `Person ${at}`])
  appState.saveContacts(Object.fromEntries(people))
  for (let at = 0; at < 7; at++) appState.archive(`1202555200${at}`, at % 2 === 0)
  appState.mute(ANA, Date.now() + 3_600_000)
  const line = await linked(whatsapp, SHOP, STRICT)
  for (const name of COLLECTIONS) await theSame(line, name)
  expect(COLLECTIONS.map((name) => both(line, name)[0]?.version)).toEqual([1, 1, 1, 7, 0])
  expect(whatsapp.cdn.downloads).toBe(2)
  const named = line.client.heard('contacts.upsert').flat()
  expect(named.filter(({ name }) => name?.startsWith('Person'))).toHaveLength(30)
  expect(line.kept.creds.me?.name).toBe('Shop')
  expect(line.kept.creds.myAppStateKeyId).toBe(appState.keys[0]?.id.toString('base64'))
  await expect.poll(() => line.device.waiting).toEqual([])
})

test('what the owner changes comes to every linked client, also what it was away for', async () => {
  const whatsapp = await whatsappOfTest()
  const line = await linked(whatsapp, SHOP, STRICT)
  const { phone, client, device } = line
  phone.appState.markRead(ANA, false)
  await expect.poll(() => client.heard('chats.update').flat()).toMatchObject([{ id: ANA_JID, unreadCount: -1 }])
  phone.appState.saveContacts({ [ANA]: 'Ana' })
  phone.appState.saveContacts({ [ANA]: null })
  await theSame(line, 'critical_unblock_low')
  expect(phone.appState.ledger('critical_unblock_low').settings.size).toBe(0)

  await client.end()
  await expect.poll(() => device.isOnline).toBe(false)
  // The client is further behind than one answer can cover.
  for (let at = 0; at < 12; at++) phone.appState.mute(`120255520${10 + at}`, null)
  await ready(rawClient(line.kept, STRICT))
  await theSame(line, 'regular_high')
  expect(both(line, 'regular_high')[0]?.version).toBe(12)
  await expect.poll(() => device.waiting).toEqual([])
})

test('a client changes something, and the phone and other clients have it', async () => {
  const whatsapp = await whatsappOfTest()
  const line = await linked(whatsapp, SHOP, STRICT)
  const other = await linked(whatsapp, SHOP, STRICT)
  line.phone.appState.archive(ANA, false)
  await line.client.socket.chatModify({ pin: true }, ANA_JID)
  expect([...line.phone.appState.ledger('regular_low').settings.values()]).toMatchObject([
    { index: ['archive', ANA_JID], value: { archiveChatAction: { archived: false } } },
    { index: ['pin_v1', ANA_JID], value: { pinAction: { pinned: true } } },
  ])
  await theSame(line, 'regular_low')
  await theSame({ ...other, phone: line.phone }, 'regular_low')
  expect(other.client.heard('chats.update').flat()).toContainEqual(
    expect.objectContaining({ pinned: expect.anything() }),
  )
})

test('a change on top of an older version is refused with 409 and what was missed; a broken one with 400', async () => {
  const whatsapp = await whatsappOfTest()
  const { client, phone } = await linked(whatsapp, SHOP, STRICT)
  const [key] = phone.appState.keys
  phone.appState.mute(ANA, null)
  const { patch } = await encodeSyncdPatch(
    {
      ...{ type: 'regular_high', index: ['mute', ANA_JID], syncAction: { muteAction: { muted: true } } },
      ...{ apiVersion: 2, operation: proto.SyncdMutation.SyncdOperation.SET },
    },
    key!.id.toString('base64'),
    newLTHashState(),
    async () => proto.Message.AppStateSyncKeyData.create({ keyData: key!.secret }),
  )
  const upload = async (version: number) => {
    const sealed = stanza('patch', {}, proto.SyncdPatch.encode(patch).finish())
    const collection = stanza('collection', { name: 'regular_high', version, return_snapshot: 'false' }, [sealed])
    const attributes = { to: 's.whatsapp.net', type: 'set', xmlns: 'w:sync:app:state' }
    const answer = await client.socket.query(stanza('iq', attributes, [stanza('sync', {}, [collection])]))
    return child(child(answer, 'sync'), 'collection')
  }
  const late = await upload(0)
  expect(late?.attrs['type']).toBe('error')
  expect(child(late, 'error')?.attrs).toEqual({ code: '409', text: 'conflict' })
  expect(child(child(late, 'patches'), 'patch')).toBeDefined()
  // This change was made for version 1, so its MACs are invalid for version 2.
  expect(child(await upload(1), 'error')?.attrs['code']).toBe('400')
  expect([...phone.appState.ledger('regular_high').settings.values()]).toMatchObject([
    { value: { muteAction: { muted: false } } },
  ])
})

test('without the keys nothing is read, and everything once they come; also when the phone takes another one', async () => {
  const whatsapp = await whatsappOfTest()
  const { appState } = whatsapp.phone(SHOP)
  appState.archive(ANA, true)
  appState.withholdKeys()
  const line = await linked(whatsapp, SHOP, STRICT)
  await expect.poll(() => line.device.waiting).toEqual([])
  expect(stateOf(line.kept, 'regular_low')).toBeUndefined()
  appState.shareKeys()
  await theSame(line, 'regular_low')
  appState.renewKey()
  appState.archive(ANA, false)
  await theSame(line, 'regular_low')
  expect(line.kept.creds.myAppStateKeyId).toBe(appState.keys[1]?.id.toString('base64'))
})

test('the file of a snapshot is gone, and a client that begins has nothing of the collection until it is there', async () => {
  const whatsapp = await whatsappOfTest()
  const line = await linked(whatsapp, SHOP, STRICT)
  await line.client.end()
  await expect.poll(() => line.device.isOnline).toBe(false)
  for (let at = 0; at < 5; at++) line.phone.appState.archive(ANA, at % 2 === 0)
  whatsapp.cdn.refuseDownloads(410)
  const { socket } = await line.client.again()
  await expect.poll(() => line.device.waiting).toEqual([])
  await expect(socket.resyncAppState(['regular_low'], false)).rejects.toThrow('Failed to fetch')
  expect(stateOf(line.kept, 'regular_low')).toBeUndefined()
  whatsapp.cdn.refuseDownloads(null)
  await socket.resyncAppState(['regular_low'], false)
  await theSame(line, 'regular_low')
})
