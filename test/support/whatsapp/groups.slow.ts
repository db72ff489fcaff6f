import { expect, test } from 'vitest'
import { linked, whatsappOfTest } from './raw-scene.ts'

const SHOP = '12025550200'
const ANA = '12025550101'
const BEN = '12025550102'

test.each(['lid', 'pn'] as const)('a group speaks both ways, members named by %s', async (addressing) => {
  const whatsapp = await whatsappOfTest()
  const { client, phone } = await linked(whatsapp, SHOP)
  const [ana, ben] = [whatsapp.phone(ANA), whatsapp.phone(BEN)]
  const group = whatsapp.group('Neighbours', [ANA, BEN, SHOP], addressing)
  const chat = `${group.id}@g.us`
  expect(await client.socket.groupMetadata(chat)).toMatchObject({ subject: 'Neighbours', addressingMode: addressing })

  for (const text of ['First', 'Second']) await client.socket.sendMessage(chat, { text })
  for (const person of [ana, ben])
    await expect
      .poll(() => person.received().map(({ chat, from, text }) => [chat, from, text]))
      .toEqual([
        [group.id, SHOP, 'First'],
        [group.id, SHOP, 'Second'],
      ])
  await expect.poll(() => phone.copies.map(({ text }) => text)).toEqual(['First', 'Second'])
  const receipts = () =>
    client
      .heard('message-receipt.update')
      .flat()
      .map(({ receipt }) => receipt.userJid)
  const named = (person: { number: string; lid: string }) =>
    addressing === 'lid' ? `${person.lid}@lid` : `${person.number}@s.whatsapp.net`
  await expect.poll(() => new Set(receipts())).toEqual(new Set([named(ana), named(ben)]))

  const ids = [
    await ana.say(group.id, 'From Ana'),
    await ana.say(group.id, 'Again'),
    await ben.say(group.id, 'From Ben'),
  ]
  const told = () => client.messages().filter(({ key }) => ids.includes(key.id ?? ''))
  // If several people write simultaneously, the library reports their messages in any order.
  const words = () => told().map(({ message }) => message?.conversation)
  await expect.poll(() => words().toSorted()).toEqual(['Again', 'From Ana', 'From Ben'])
  expect(words().filter((one) => one !== 'From Ben')).toEqual(['From Ana', 'Again'])
  expect(told()[0]?.key).toMatchObject({ remoteJid: chat, participant: named(ana) })
  await expect.poll(() => ana.receiptsOf(ids[0]!)).toEqual(['inactive'])
})

test('a client makes a group, changes it, and hears what others change', async () => {
  const whatsapp = await whatsappOfTest()
  const { client } = await linked(whatsapp, SHOP)
  const { socket } = client
  const made = await socket.groupCreate('Team', [`${ANA}@s.whatsapp.net`])
  expect(made.participants.map(({ phoneNumber }) => phoneNumber)).toEqual([
    `${SHOP}@s.whatsapp.net`,
    `${ANA}@s.whatsapp.net`,
  ])
  await socket.groupParticipantsUpdate(made.id, [`${BEN}@s.whatsapp.net`], 'add')
  await socket.groupUpdateSubject(made.id, 'The team')
  expect(await socket.groupMetadata(made.id)).toMatchObject({ subject: 'The team', size: 3 })
  await expect.poll(() => client.heard('group-participants.update')).toHaveLength(1)
  expect(Object.keys(await socket.groupFetchAllParticipating())).toEqual([made.id])
  await socket.groupLeave(made.id)
  await expect(socket.groupMetadata(made.id)).rejects.toThrow()
})
