import * as curve from 'libsignal/src/curve.js'
import { expect, test } from 'vitest'
import { nothingKept, rawClient } from './raw-client.ts'
import { linked, whatsappOfTest } from './raw-scene.ts'

const SHOP = '12025550200'
const ANA = '12025550101'
const ANA_JID = `${ANA}@s.whatsapp.net`

test('a phone types the code a client shows, and no other', async () => {
  const whatsapp = await whatsappOfTest()
  const shop = whatsapp.phone(SHOP)
  const kept = nothingKept()
  const client = rawClient(kept)
  await client.qr()
  const code = await client.socket.requestPairingCode(SHOP)
  await expect(whatsapp.phone(ANA).enter(code)).rejects.toThrow('in vain')
  const device = await shop.enter(`${code.slice(0, 4)}-${code.slice(4)}`)
  expect(await client.closed()).toBe(515)
  await rawClient(kept).open()
  await expect.poll(() => device.isOnline).toBe(true)
})

test('a wrong code links nothing', async () => {
  const whatsapp = await whatsappOfTest()
  const client = rawClient()
  await client.qr()
  await client.socket.requestPairingCode(SHOP)
  await expect(whatsapp.phone(SHOP).enter('AAAA-AAAA')).rejects.toThrow('not the code')
  expect(whatsapp.phone(SHOP).linked).toEqual([])
})

test('a message after a click on an advertisement comes without content, and the own phone has it', async () => {
  const whatsapp = await whatsappOfTest()
  const { client } = await linked(whatsapp, SHOP)
  const ad = { title: 'Flowers', body: 'Half price', sourceUrl: 'https://shop.example', sourceId: '42' }
  const id = await whatsapp.phone(ANA).clickAd(SHOP, 'I saw your ad', ad)
  await expect
    .poll(() => client.messages().find(({ key }) => key.id === id)?.message?.extendedTextMessage)
    .toMatchObject({ text: 'I saw your ad', contextInfo: { externalAdReply: { sourceId: '42' } } })
})

test('a phone that lost its sessions asks again, and gets the message', async () => {
  const whatsapp = await whatsappOfTest()
  const { client } = await linked(whatsapp, SHOP)
  const ana = whatsapp.phone(ANA)
  await client.socket.sendMessage(ANA_JID, { text: 'One' })
  await expect.poll(() => ana.received()).toHaveLength(1)
  await ana.say(SHOP, 'Now the session stands on both sides')
  await expect.poll(() => client.messages()).toHaveLength(2)
  ana.loseSessions()
  await client.socket.sendMessage(ANA_JID, { text: 'Two' })
  await expect.poll(() => ana.received().map(({ text }) => text)).toEqual(['One', 'Two'])
  expect(ana.unread).toBe(1)
})

test('a phone rings and hangs up', async () => {
  const whatsapp = await whatsappOfTest()
  const { client, device } = await linked(whatsapp, SHOP)
  const ana = whatsapp.phone(ANA)
  const id = ana.call(SHOP)
  ana.hangUp(id)
  await expect
    .poll(() =>
      client
        .heard('call')
        .flat()
        .map(({ id: call, status, callerPn }) => [call, status, callerPn]),
    )
    .toEqual([
      [id, 'offer', ANA_JID],
      [id, 'timeout', ANA_JID],
    ])
  await expect.poll(() => device.waiting).toEqual([])
})

test('two linked clients speak to each other, and a second one of the same account sees what the first sent', async () => {
  const whatsapp = await whatsappOfTest()
  const shop = await linked(whatsapp, SHOP)
  const second = await linked(whatsapp, SHOP)
  const other = await linked(whatsapp, '12025550300')
  const sent = await shop.client.socket.sendMessage('12025550300@s.whatsapp.net', { text: 'Between clients' })
  const id = sent?.key.id
  await expect
    .poll(() =>
      other.client.messages().map(({ message }) => message?.conversation ?? message?.extendedTextMessage?.text),
    )
    .toEqual(['Between clients'])
  await expect
    .poll(() => second.client.messages().find(({ key }) => key.id === id)?.key)
    .toMatchObject({
      fromMe: true,
      remoteJid: '12025550300@s.whatsapp.net',
    })
})

test('receipts may come in one, twice, and from a phone that was away', async () => {
  const whatsapp = await whatsappOfTest()
  const { client } = await linked(whatsapp, SHOP)
  const ana = whatsapp.phone(ANA, { receipts: 'none', isOnline: false, repeatsReceipts: true })
  const ids: string[] = []
  for (const text of ['One', 'Two']) ids.push((await client.socket.sendMessage(ANA_JID, { text }))?.key.id ?? '')
  expect(ana.received()).toEqual([])
  ana.go(true)
  await expect.poll(() => ana.received().map(({ text }) => text)).toEqual(['One', 'Two'])
  ana.confirm(ids, 'read')
  for (const id of ids) await expect.poll(() => client.statusesOf(id)).toContain(4)
})

test('a token of trust is kept by the client, and what is said twice is said by one id', async () => {
  const whatsapp = await whatsappOfTest()
  const { client, kept, device } = await linked(whatsapp, SHOP)
  const ana = whatsapp.phone(ANA)
  const id = await ana.say(SHOP, 'Hello')
  ana.trust(SHOP)
  await expect.poll(() => [...kept.rows.keys()].filter((key) => key.startsWith('tctoken/'))).not.toEqual([])
  await expect.poll(() => device.waiting).toEqual([])
  ana.repeat(id)
  await expect.poll(() => client.messages().filter(({ key }) => key.id === id)).toHaveLength(2)
})

test('the keys of a stranger are handed out with a signature, or with one that is not theirs', async () => {
  const whatsapp = await whatsappOfTest()
  const { client } = await linked(whatsapp, SHOP)
  const signed: boolean[] = []
  const { signalRepository } = client.socket
  const inject = signalRepository.injectE2ESession
  signalRepository.injectE2ESession = (bundle) => {
    const { identityKey, signedPreKey } = bundle.session
    const [key, message, signature] = [identityKey, signedPreKey.publicKey, signedPreKey.signature].map(Buffer.from)
    signed.push(curve.verifySignature(key!, message!, signature!))
    return inject(bundle)
  }
  await client.socket.sendMessage(ANA_JID, { text: 'One' })
  expect(signed.splice(0)).not.toContain(false)
  whatsapp.faults.forgeBundles(true)
  await client.socket.sendMessage('12025550102@s.whatsapp.net', { text: 'Two' })
  expect(signed).toContain(false)
})

test('the store refuses uploads, and takes them again', async () => {
  const whatsapp = await whatsappOfTest()
  const { client } = await linked(whatsapp, SHOP)
  const content = { document: Buffer.from('a file'), mimetype: 'text/plain', fileName: 'a.txt' }
  whatsapp.cdn.refuseUploads(507)
  await expect(client.socket.sendMessage(ANA_JID, content)).rejects.toThrow('upload failed')
  whatsapp.cdn.refuseUploads(null)
  await client.socket.sendMessage(ANA_JID, content)
  await expect
    .poll(() =>
      whatsapp
        .phone(ANA)
        .received()
        .map(({ file }) => file?.toString()),
    )
    .toEqual(['a file'])
})
