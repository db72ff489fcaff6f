import { expect, test } from 'vitest'
import { proto } from 'baileys'
import { linked, whatsappOfTest } from './raw-scene.ts'

const SHOP = '12025550200'
const ANA = '12025550101'
const ANA_JID = `${ANA}@s.whatsapp.net`
const { ON_DEMAND } = proto.HistorySync.HistorySyncType

test('a client asks for what was said before, and gets it in files, the latest first', async () => {
  const whatsapp = await whatsappOfTest()
  const ana = whatsapp.phone(ANA)
  const long = Date.UTC(2026, 0, 1) / 1_000
  const ids: string[] = []
  for (let at = 0; at < 30; at++) ids.push(await ana.say(SHOP, `Number ${at}`, { atSeconds: long + at }))
  await whatsapp.phone('12025550102').say(SHOP, 'Somebody else')
  const { client, device } = await linked(whatsapp, SHOP)
  const past = () => client.heard('messaging-history.set').filter(({ syncType }) => syncType === ON_DEMAND)

  // The first history contains the last five messages.
  const before = { remoteJid: ANA_JID, id: ids[25]!, fromMe: false }
  const request = await client.socket.fetchMessageHistory(22, before, (long + 25) * 1_000)
  await expect.poll(past).toHaveLength(3)
  expect(past().map(({ chunkOrder, progress }) => [chunkOrder, progress])).toEqual([
    [1, 33],
    [2, 67],
    [3, 100],
  ])
  expect(past().map(({ peerDataRequestSessionId }) => peerDataRequestSessionId)).toEqual([request, request, request])
  const told = past().flatMap(({ messages }) => messages)
  expect(told.map(({ key }) => key.id)).toEqual(ids.slice(3, 25).toReversed())
  expect(told.map(({ message }) => message?.conversation).slice(0, 2)).toEqual(['Number 24', 'Number 23'])
  expect(Number(told[0]?.messageTimestamp)).toBe(long + 24)
  expect(whatsapp.cdn.downloads).toBe(3)
  await expect.poll(() => device.waiting).toEqual([])
})

test('where nothing was said before, the answer says that this was all', async () => {
  const whatsapp = await whatsappOfTest()
  // The person has not answered in this chat, so the first history does not contain it.
  const id = await whatsapp.phone(SHOP).say(ANA, 'The first word')
  const { client } = await linked(whatsapp, SHOP)
  await client.socket.fetchMessageHistory(50, { remoteJid: ANA_JID, id, fromMe: true }, Date.now())
  const past = () => client.heard('messaging-history.set').filter(({ syncType }) => syncType === ON_DEMAND)
  await expect.poll(past).toHaveLength(1)
  expect(past()[0]?.messages).toEqual([])
  expect(past()[0]?.chats).toMatchObject([{ id: ANA_JID, endOfHistoryTransferType: 1 }])
})
