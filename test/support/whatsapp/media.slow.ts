import { createHash, randomBytes } from 'node:crypto'
import { downloadMediaMessage } from 'baileys'
import { expect, test } from 'vitest'
import { linked, whatsappOfTest } from './raw-scene.ts'

const SHOP = '12025550200'
const ANA = '12025550101'
const ANA_JID = `${ANA}@s.whatsapp.net`
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('files go both ways, encrypted, and are the same when they arrive', async () => {
  const whatsapp = await whatsappOfTest()
  const { client } = await linked(whatsapp, SHOP)
  const ana = whatsapp.phone(ANA)
  const file = randomBytes(70_000)
  await client.socket.sendMessage(ANA_JID, {
    document: file,
    mimetype: 'application/pdf',
    fileName: 'a.pdf',
    caption: 'Read',
  })
  await client.socket.sendMessage(ANA_JID, { audio: file, mimetype: 'audio/ogg; codecs=opus', ptt: true })
  await expect
    .poll(() => ana.received().map(({ type, text }) => [type, text]))
    .toEqual([
      ['document', 'Read'],
      ['audio', null],
    ])
  expect(ana.received().map((one) => sha256(one.file ?? Buffer.alloc(0)))).toEqual([sha256(file), sha256(file)])

  await ana.sendFile(SHOP, { kind: 'image', bytes: file, mimeType: 'image/png', caption: 'Look' })
  await expect.poll(() => client.messages().find(({ message }) => message?.imageMessage)).toBeDefined()
  const picture = client.messages().find(({ message }) => message?.imageMessage)!
  expect(sha256(await downloadMediaMessage(picture, 'buffer', {}))).toBe(sha256(file))
  whatsapp.cdn.flip(1)
  // The library does not check hashes.
  expect(sha256(await downloadMediaMessage(picture, 'buffer', {}))).not.toBe(sha256(file))
})

test('a file that is gone is uploaded again by the own phone', async () => {
  const whatsapp = await whatsappOfTest()
  const { client } = await linked(whatsapp, SHOP)
  const file = randomBytes(1_000)
  await whatsapp.phone(ANA).sendFile(SHOP, { kind: 'image', bytes: file, mimeType: 'image/png' })
  await expect.poll(() => client.messages().find(({ message }) => message?.imageMessage)).toBeDefined()
  const picture = client.messages().find(({ message }) => message?.imageMessage)!
  whatsapp.cdn.forget(picture.message?.imageMessage?.directPath ?? '')
  await expect(downloadMediaMessage(picture, 'buffer', {})).rejects.toThrow('Failed to fetch')
  const again = await client.socket.updateMediaMessage(picture)
  expect(sha256(await downloadMediaMessage(again, 'buffer', {}))).toBe(sha256(file))
})
