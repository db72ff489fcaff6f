import { expect, test } from 'vitest'
import { rawClient } from './raw-client.ts'
import { linked, ready, whatsappOfTest } from './raw-scene.ts'

const SHOP = '12025550200'
const ANA = '12025550101'
const ANA_JID = `${ANA}@s.whatsapp.net`

test('a text reaches the phone it is for, is copied to the own phone, and its receipts come back', async () => {
  const whatsapp = await whatsappOfTest()
  const { client, phone } = await linked(whatsapp, SHOP)
  const ana = whatsapp.phone(ANA)
  const sent = await client.socket.sendMessage(ANA_JID, { text: 'Olá, Ana 🌱' })
  const id = sent?.key.id ?? ''
  await expect.poll(() => ana.received()).toHaveLength(1)
  expect(ana.received()[0]).toMatchObject({ id, from: SHOP, chat: SHOP, type: 'text', text: 'Olá, Ana 🌱', times: 1 })
  await expect.poll(() => phone.copies).toHaveLength(1)
  expect(phone.copies[0]).toMatchObject({ id, chat: ANA, text: 'Olá, Ana 🌱' })
  await expect.poll(() => client.statusesOf(id)).toEqual([3, 4])
})

test('what a phone says is decrypted, and is done with once the client confirms it', async () => {
  const whatsapp = await whatsappOfTest()
  const { client, phone } = await linked(whatsapp, SHOP)
  const ana = whatsapp.phone(ANA, { name: 'Ana' })
  const id = await ana.say(SHOP, 'Is it open?')
  await expect.poll(() => client.messages()).toHaveLength(1)
  expect(client.heard('messages.upsert').at(-1)?.type).toBe('notify')
  const [message] = client.messages()
  expect(message).toMatchObject({ pushName: 'Ana', message: { conversation: 'Is it open?' } })
  expect(message?.key).toMatchObject({ id, remoteJid: ANA_JID, remoteJidAlt: `${ana.lid}@lid`, fromMe: false })
  await expect.poll(() => ana.receiptsOf(id)).toEqual(['inactive'])
  await expect.poll(() => phone.device.waiting).toEqual([])
})

test('a backlog comes after the login, in order', async () => {
  const whatsapp = await whatsappOfTest()
  const { client, kept, device } = await linked(whatsapp, SHOP)
  const ana = whatsapp.phone(ANA)
  await client.end()
  await expect.poll(() => device.isOnline).toBe(false)
  for (const words of ['One', 'Two', 'Three']) await ana.say(SHOP, words)
  expect(device.waiting).toHaveLength(3)
  const second = rawClient(kept)
  await ready(second)
  await expect
    .poll(() => second.messages().map(({ message }) => message?.conversation))
    .toEqual(['One', 'Two', 'Three'])
  await expect.poll(() => device.waiting).toEqual([])
})

test('what was not confirmed comes again, and the bare library refuses it: its key is used up', async () => {
  const whatsapp = await whatsappOfTest()
  const { client, kept, device } = await linked(whatsapp, SHOP)
  whatsapp.faults.onReceipt(1)
  const id = await whatsapp.phone(ANA).say(SHOP, 'Once')
  expect(await client.closed()).toBe(428)
  expect(device.waiting.map(({ attrs }) => attrs['id'])).toEqual([id])
  await ready(rawClient(kept))
  await expect.poll(() => device.waiting).toEqual([])
  const refusals = device.heard.filter(({ tag, attrs }) => tag === 'ack' && attrs['id'] === id)
  expect(refusals.map(({ attrs }) => attrs['error'])).toEqual(['487'])
})

test('the library speaks to the phone by edit, deletion, reaction and answer, and the phone to it', async () => {
  const whatsapp = await whatsappOfTest()
  const { client } = await linked(whatsapp, SHOP)
  const ana = whatsapp.phone(ANA)
  const { socket } = client
  const sent = await socket.sendMessage(ANA_JID, { text: 'Ten' })
  const key = sent!.key
  await socket.sendMessage(ANA_JID, { text: 'Eleven', edit: key })
  await socket.sendMessage(ANA_JID, { react: { text: '👍', key } })
  await socket.sendMessage(ANA_JID, { delete: key })
  await expect
    .poll(() => ana.received().map(({ type, text, about }) => [type, text, about]))
    .toEqual([
      ['text', 'Ten', null],
      ['edit', 'Eleven', key.id],
      ['reaction', '👍', key.id],
      ['delete', null, key.id],
    ])

  const id = await ana.say(SHOP, 'Open?')
  await expect
    .poll(() =>
      client
        .heard('messages.upsert')
        .flatMap(({ messages }) => messages)
        .some(({ key }) => key.id === id),
    )
    .toBe(true)
  const theirs = client
    .heard('messages.upsert')
    .flatMap(({ messages }) => messages)
    .find(({ key }) => key.id === id)!
  await socket.sendMessage(ANA_JID, { text: 'Yes' }, { quoted: theirs })
  await expect.poll(() => ana.received().at(-1)).toMatchObject({ text: 'Yes', about: id })
  await ana.edit(id, 'Open tomorrow?')
  await ana.react(id, '🙏')
  await ana.react(key.id!, '❤️')
  await ana.remove(id)
  const theirReactions = () =>
    client
      .heard('messages.reaction')
      .flat()
      .filter(({ reaction }) => !reaction.key?.fromMe)
      .map(({ reaction }) => reaction.text)
  await expect.poll(theirReactions).toEqual(['🙏', '❤️'])
  await expect
    .poll(() =>
      client
        .heard('messages.update')
        .flat()
        .filter(({ key }) => key.id === id)
        .map(({ update }) => [update.message?.editedMessage?.message?.conversation, update.messageStubType]),
    )
    .toEqual([
      ['Open tomorrow?', undefined],
      [undefined, 1],
    ])
})

test('what the owner types on the phone, and a phone that hides its number', async () => {
  const whatsapp = await whatsappOfTest()
  const { client, phone } = await linked(whatsapp, SHOP)
  const ana = whatsapp.phone(ANA)
  const id = await phone.say(ANA, 'From my own phone')
  expect(ana.received()[0]).toMatchObject({ id, text: 'From my own phone', device: 0 })
  await expect.poll(() => client.messages()).toHaveLength(1)
  expect(client.messages()[0]).toMatchObject({
    key: { id, fromMe: true, remoteJid: ANA_JID },
    message: { conversation: 'From my own phone' },
  })
  ana.behave({ shows: 'lid' })
  await ana.say(SHOP, 'Hidden')
  await expect.poll(() => client.messages()).toHaveLength(2)
  const hidden = `${ana.lid}@lid`
  expect(client.messages()[1]?.key).toMatchObject({ remoteJid: hidden, remoteJidAlt: ANA_JID, addressingMode: 'lid' })
  const sent = await client.socket.sendMessage(hidden, { text: 'To the hidden id' })
  await expect.poll(() => ana.received().at(-1)?.text).toBe('To the hidden id')
  await expect.poll(() => client.statusesOf(sent?.key.id ?? '')).toEqual([3, 4])
})
