import { expect, test } from 'vitest'
import { linked, whatsappOfTest } from './raw-scene.ts'

const SHOP = '12025550200'
const jid = (ending: string) => `1202555${ending}@s.whatsapp.net`

test('numbers misbehave by their last four digits', async () => {
  const whatsapp = await whatsappOfTest({ heldAckMs: 200 })
  const { client } = await linked(whatsapp, SHOP)
  const { socket } = client
  const send = async (ending: string) => (await socket.sendMessage(jid(ending), { text: 'x' }))?.key.id ?? ''
  await send('0463')
  await send('0410')
  await expect.poll(() => client.acks).toEqual(['463', 'good', '479'])
  expect(await socket.onWhatsApp('12025550404', '12025550101')).toEqual([{ jid: jid('0101'), exists: true }])
  const silent = await send('0007')
  const late = await send('0504')
  await expect.poll(() => client.statusesOf(late)).toEqual([3, 4])
  expect(client.statusesOf(silent)).toEqual([])
  expect(whatsapp.phone('12025550007').received()).toHaveLength(1)
  await expect(send('0502')).rejects.toBeDefined()
  expect(await client.closed()).toBe(428)
})

test('while new chats are refused, people who have written are still answered', async () => {
  const whatsapp = await whatsappOfTest()
  const { client, phone } = await linked(whatsapp, SHOP)
  await whatsapp.phone('12025550101').say(SHOP, 'Hello')
  const until = Math.floor(Date.now() / 1_000) + 3_600
  phone.restrict(until)
  await expect.poll(() => client.updates.at(-1)?.reachoutTimeLock).toMatchObject({ isActive: true })
  expect(await client.socket.fetchAccountReachoutTimelock()).toMatchObject({
    isActive: true,
    timeEnforcementEnds: new Date(until * 1_000),
  })
  await client.socket.sendMessage(jid('0101'), { text: 'Warm' })
  await client.socket.sendMessage(jid('0102'), { text: 'Cold' })
  await expect.poll(() => client.acks).toEqual(['good', '463'])
  await expect.poll(() => whatsapp.phone('12025550101').received()).toHaveLength(1)
  expect(whatsapp.phone('12025550102').received()).toEqual([])
})

test('a number with the ninth digit leads to the one without', async () => {
  const whatsapp = await whatsappOfTest()
  whatsapp.alias('5511987654321', '551187654321')
  const { client } = await linked(whatsapp, SHOP)
  expect(await client.socket.onWhatsApp('5511987654321')).toEqual([
    { jid: '551187654321@s.whatsapp.net', exists: true },
  ])
})
