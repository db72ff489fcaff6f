import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { MessageRef } from '../../../main/engines/direct.ts'
import type { EngineInstance, ForwardedMessage } from '../../../main/engines/engine.ts'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import { contentOf } from '../../../main/kernel/file-content.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550290'
const { bytes: PICTURE } = sampleOf('image')

let world: LineWorld
let shop: EngineInstance
let person = 100

beforeAll(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
})
afterAll(() => world.close())
beforeEach(() => world.forget())

const somebody = () => world.whatsapp.phone(`12025552${String(person++)}`)

/** What somebody said, as a caller passes it on. */
async function heard(id: string) {
  const said = await world.heard(shop, 'received', ({ engineMessageId }) => engineMessageId === id)
  const { engineMessageId, chat, participant, type, text, media, content: details } = said
  const original: MessageRef = { engineMessageId, chat, participant, isOwn: false }
  return { kind: 'forward', original, type, text, mediaId: media?.id ?? null, details: details ?? null } as const
}

async function forward(message: Omit<ForwardedMessage, 'to'>) {
  const ben = somebody()
  const { outcome } = await world.send(shop, { ...message, to: ben.number })
  if (outcome.kind !== 'accepted') return outcome
  return until('the message', () => ben.received().find(({ id }) => id === outcome.engineMessageId))
}

const contextInfo = { isForwarded: true, forwardingScore: 1 }

test('a text is marked as forwarded, and quotes nothing', async () => {
  const ana = somebody()
  const first = await ana.say(OURS, 'Open today?')
  const said = await heard(await ana.say(OURS, 'Anyone?', { quoted: first }))
  expect(await forward(said)).toMatchObject({
    about: null,
    content: { extendedTextMessage: { text: 'Anyone?', contextInfo } },
  })
})

test('a message that was forwarded many times keeps that mark', async () => {
  const text = { text: 'Chain letter', contextInfo: { isForwarded: true, forwardingScore: 127 } }
  const id = await somebody().send(OURS, { extendedTextMessage: text })
  const said = await world.heard(shop, 'received', ({ engineMessageId }) => engineMessageId === id)
  expect(said).toMatchObject({ text: 'Chain letter', forwarded: 'frequently' })
  const passedOn = await forward({ ...(await heard(id)), isFrequent: said.forwarded === 'frequently' })
  expect(passedOn).toMatchObject({ content: { extendedTextMessage: { contextInfo: { forwardingScore: 5 } } } })
})

test('a received file is forwarded without another upload, also after a restart', async () => {
  const ana = somebody()
  const said = await heard(
    await ana.sendFile(OURS, { kind: 'image', bytes: PICTURE, mimeType: 'image/png', caption: 'Our garden' }),
  )
  const { uploads } = world.whatsapp.cdn
  const arrived = { type: 'image', file: PICTURE, content: { imageMessage: { caption: 'Our garden', contextInfo } } }
  expect(await forward(said)).toMatchObject(arrived)
  await world.restart(shop)
  await world.heard(shop, 'connected')
  expect(await forward(said)).toMatchObject(arrived)
  expect(world.whatsapp.cdn.uploads).toBe(uploads)
})

test('a sent file is forwarded without another upload, and each forward is counted', async () => {
  const out = { kind: 'media', mediaType: 'image', mimeType: 'image/png', content: contentOf(PICTURE) } as const
  const ana = somebody()
  const { outcome } = await world.send(shop, { ...out, caption: null, filename: null, to: ana.number })
  const { uploads } = world.whatsapp.cdn
  const passedOn = (engineMessageId: string): Omit<ForwardedMessage, 'to'> => ({
    ...{ kind: 'forward', type: 'image', text: '', mediaId: null, details: null },
    original: { engineMessageId, chat: ana.number, isOwn: true, participant: null },
  })
  const first = await forward(passedOn(outcome.kind === 'accepted' ? outcome.engineMessageId : ''))
  expect(first).toMatchObject({ file: PICTURE, content: { imageMessage: { contextInfo } } })
  const second = await forward(passedOn('id' in first ? first.id : ''))
  expect(second).toMatchObject({ file: PICTURE, content: { imageMessage: { contextInfo: { forwardingScore: 2 } } } })
  expect(world.whatsapp.cdn.uploads).toBe(uploads)
})

test('a location, contact cards and a poll are forwarded completely', async () => {
  const ana = somebody()
  const vcard = 'BEGIN:VCARD\nVERSION:3.0\nFN:Ben\nORG:Bakery;\nTEL;waid=12025550102:+1 202-555-0102\nEND:VCARD'
  const place = { degreesLatitude: 1, degreesLongitude: 2, name: 'Shop' }
  const saidPlace = await heard(await ana.send(OURS, { locationMessage: place }))
  expect(await forward(saidPlace)).toMatchObject({ content: { locationMessage: { ...place, contextInfo } } })
  const saidCard = await heard(await ana.send(OURS, { contactMessage: { displayName: 'Ben', vcard } }))
  expect(await forward(saidCard)).toMatchObject({
    content: { contactMessage: { displayName: 'Ben', vcard, contextInfo } },
  })
  const options = [{ optionName: 'Rye' }, { optionName: 'Wheat' }]
  const poll = { name: 'Bread?', options, selectableOptionsCount: 1 }
  const saidPoll = await heard(await ana.send(OURS, { pollCreationMessageV3: poll }))
  expect(await forward(saidPoll)).toMatchObject({ content: { pollCreationMessageV3: { name: 'Bread?', contextInfo } } })
})

test('an unencrypted file of a channel is forwarded encrypted', async () => {
  const file = world.whatsapp.cdn.publishPlain(PICTURE)
  const imageMessage = { ...file, mimetype: 'image/png', caption: 'Our bread' }
  const said = await heard(world.whatsapp.phone(OURS).device.post('120363144038483541', { imageMessage }))
  const { uploads } = world.whatsapp.cdn
  expect(await forward(said)).toMatchObject({
    ...{ type: 'image', file: PICTURE, text: 'Our bread' },
    content: { imageMessage: { contextInfo } },
  })
  expect(world.whatsapp.cdn.uploads).toBe(uploads + 1)
})

test('a message whose file is no longer known cannot be forwarded, and nothing is sent', async () => {
  const lost: Omit<ForwardedMessage, 'to'> = {
    ...{ kind: 'forward', type: 'image', text: '', mediaId: 'gone', details: null },
    original: { engineMessageId: '3EB0', chat: '12025552999', isOwn: false, participant: null },
  }
  expect(await forward(lost)).toMatchObject({ kind: 'invalid' })
})
