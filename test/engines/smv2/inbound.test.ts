import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { bytesOf } from '../../support/file.ts'
import { file as fileMessage } from '../../support/whatsapp/speech.ts'
import { sampleFile } from '../../support/samples.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550200'

let world: LineWorld
let shop: EngineInstance
let person = 100

beforeAll(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
})
afterAll(() => world.close())
beforeEach(() => world.forget())

const somebody = (habits = {}) => world.whatsapp.phone(`12025551${String(person++)}`, habits)
const heard = (text: string) => world.heard(shop, 'received', (signal) => signal.text === text)

test('edit, reaction, its removal and deletion are reported once each, with the id of their message', async () => {
  const ana = somebody({ name: 'Ana' })
  const said = await ana.say(OURS, 'Is it opn?')
  expect(await heard('Is it opn?')).toMatchObject({ engineMessageId: said, pushName: 'Ana' })
  await ana.edit(said, 'Is it open?')
  await ana.react(said, '👍')
  await ana.react(said, '')
  await ana.remove(said)
  await world.heard(shop, 'deleted')
  const rest = { engineMessageId: said, chat: ana.number, from: ana.number, fromMe: false }
  const told = world.told(shop).filter(({ kind }) => kind !== 'line_event')
  expect(told.slice(1)).toMatchObject([
    { kind: 'edited', text: 'Is it open?', ...rest },
    { kind: 'reaction', emoji: '👍', ...rest },
    { kind: 'reaction', emoji: '', ...rest },
    { kind: 'deleted', deletedBy: ana.number, ...rest },
  ])
})

test('a message typed on the own phone is reported as from_me', async () => {
  const ana = somebody()
  await world.whatsapp.phone(OURS).say(ana.number, 'From my own hand')
  expect(await heard('From my own hand')).toMatchObject({ fromMe: true, chat: ana.number, from: OURS, pushName: null })
})

test('a group message is reported with its sender and its group', async () => {
  const ana = somebody()
  const { id } = world.whatsapp.group('Garden', [ana.number, OURS])
  await ana.say(id, 'Who brings cake?')
  expect(await heard('Who brings cake?')).toMatchObject({
    ...{ chat: `${id}@g.us`, from: ana.number, participant: ana.number, isGroup: true, fromMe: false },
  })
})

test('a person who hides their number has the hidden id until it is known, and then the two are one person', async () => {
  const eve = somebody({ shows: 'lid_only' })
  await eve.say(OURS, 'Guess who')
  expect(await heard('Guess who')).toMatchObject({ chat: eve.lid, from: eve.lid, fromLid: eve.lid })
  eve.behave({ shows: 'lid' })
  await eve.say(OURS, 'It is me')
  expect(await heard('It is me')).toMatchObject({ chat: eve.number, from: eve.number, fromLid: null })
  expect(world.of(shop, 'contact')).toEqual([{ kind: 'contact', hiddenId: eve.lid, number: eve.number }])
  // A program that still has the hidden id reaches the same person.
  expect((await world.send(shop, { to: eve.lid, text: 'Found you' })).outcome).toMatchObject({ kind: 'accepted' })
  await until('the answer', () => eve.received().some(({ text }) => text === 'Found you'))
  await eve.say(OURS, 'So you did')
  expect(await heard('So you did')).toMatchObject({ chat: eve.number })
  const same = { kind: 'contact', hiddenId: eve.lid, number: eve.number }
  expect(world.of(shop, 'contact')).toEqual([same, same])
})

test('the first message after an advertisement arrives without content, and is reported again with it', async () => {
  const ana = somebody()
  const id = await ana.clickAd(OURS, 'Tell me more', {
    title: 'Spring',
    body: 'Half price',
    sourceId: '17',
    sourceUrl: 'https://fb.me/1',
  })
  const told = await world.heard(shop, 'received', (signal) => signal.text === 'Tell me more')
  expect(told).toMatchObject({ engineMessageId: id, chat: ana.number, referral: { source_url: 'https://fb.me/1' } })
})

describe('content other than text', () => {
  test('of a location, a contact or a link is reported with its details', async () => {
    const ana = somebody()
    await ana.send(OURS, { locationMessage: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: 'The shop' } })
    expect(await heard('The shop')).toMatchObject({ type: 'location', content: { type: 'location', latitude: 52.5 } })
    await ana.send(OURS, { contactMessage: { displayName: 'Ben', vcard: 'BEGIN:VCARD\nTEL:+12025550102\nEND:VCARD' } })
    expect(await heard('Ben')).toMatchObject({
      type: 'contact',
      content: { contacts: [{ numbers: ['+12025550102'] }] },
    })
    const link = { text: 'Look: https://a.example', matchedText: 'https://a.example', title: 'A' }
    await ana.send(OURS, { extendedTextMessage: link })
    expect(await heard(link.text)).toMatchObject({ type: 'text', content: { type: 'link', url: 'https://a.example' } })
  })

  test('in a view-once file is downloaded like any other', async () => {
    const { bytes, mimeType } = sampleOf('image')
    const { imageMessage } = fileMessage(world.whatsapp.cdn, { kind: 'image', bytes, mimeType, caption: 'Once' })
    await somebody().send(OURS, { viewOnceMessageV2: { message: { imageMessage: imageMessage ?? null } } })
    const told = await heard('Once')
    expect(told).toMatchObject({ type: 'image', viewOnce: true, media: { size: bytes.length } })
    expect(await bytesOf(await world.smv2.engine.media?.(shop, told.media?.id ?? ''))).toEqual(bytes)
  })

  test('in an unencrypted file of a chat, although it contains a key, is downloaded and verified unchanged', async () => {
    const bytes = sampleOf('image').bytes
    const file = { ...world.whatsapp.cdn.publishPlain(bytes), mediaKey: Buffer.alloc(32, 7) }
    await somebody().send(OURS, { imageMessage: { ...file, mimetype: 'image/png', caption: 'In the clear' } })
    const { media } = await heard('In the clear')
    expect(media).toMatchObject({ mimeType: 'image/png', size: bytes.length })
    expect(await bytesOf(await world.smv2.engine.media?.(shop, media?.id ?? ''))).toEqual(bytes)
  })

  test.each(['view_once', 'view_once_unavailable_fanout'])(
    'that only the phone shows (%s) is reported',
    async (why) => {
      const ana = somebody({ name: 'Ana' })
      const id = await ana.withhold(OURS, { conversation: 'Only on the phone' }, why)
      expect(await world.heard(shop, 'received', ({ chat }) => chat === ana.number)).toMatchObject({
        ...{ engineMessageId: id, type: 'unavailable', text: '', pushName: 'Ana', viewOnce: true, media: null },
        content: { type: 'unavailable', reason: 'view_once', kind: why },
      })
    },
  )

  test('of an unsupported kind is reported as such', async () => {
    const ana = somebody()
    await ana.send(OURS, { encCommentMessage: { encPayload: Buffer.from('sealed') } })
    expect(await world.heard(shop, 'received', ({ chat }) => chat === ana.number)).toMatchObject({
      content: { type: 'unavailable', reason: 'unsupported', kind: 'encCommentMessage' },
    })
  })
})

describe('received files', () => {
  const { bytes, mimeType } = sampleOf('image')
  const picture = { kind: 'image', bytes, mimeType, caption: 'Look' } as const
  const mediaOf = async () => (await world.heard(shop, 'received', ({ text }) => text === 'Look')).media

  test('are downloaded immediately, verified and stored', async () => {
    await somebody().sendFile(OURS, picture)
    const media = await mediaOf()
    expect(media).toMatchObject({ mimeType, size: bytes.length, caption: 'Look' })
    const file = await world.smv2.engine.media?.(shop, media?.id ?? '')
    expect(file).toMatchObject({ mimeType, filename: null })
    expect(await bytesOf(file)).toEqual(bytes)
    expect(await world.smv2.engine.media?.(world.instance(), media?.id ?? '')).toBeNull()
  })

  test('have the preview details that the phone sends', async () => {
    const ana = somebody()
    const waveform = Buffer.from(Array.from({ length: 64 }, (_, bar) => bar))
    await ana.sendFile(OURS, { kind: 'audio', bytes, mimeType: 'audio/ogg', about: { seconds: 67, waveform } })
    const jpegThumbnail = sampleFile('photo.jpg')
    await ana.sendFile(OURS, { ...picture, about: { jpegThumbnail } })
    const voice = await world.heard(shop, 'received', ({ type, chat }) => type === 'audio' && chat === ana.number)
    expect(voice.media?.preview).toEqual({ seconds: 67, waveform: [...waveform], thumbnail: null })
    const thumbnail = jpegThumbnail.toString('base64')
    expect((await mediaOf())?.preview).toEqual({ seconds: null, waveform: null, thumbnail })
  })

  test('that are damaged in transit are requested from the phone again', async () => {
    world.whatsapp.cdn.flip(1)
    await somebody().sendFile(OURS, picture)
    const media = await mediaOf()
    expect(await bytesOf(await world.smv2.engine.media?.(shop, media?.id ?? ''))).toEqual(bytes)
  })

  test('that stay damaged are reported without the file, and health shows it', async () => {
    world.whatsapp.cdn.flip(2)
    await somebody().sendFile(OURS, picture)
    expect(await mediaOf()).toBeNull()
    expect(world.smv2.engine.evidence(shop).issues).toMatchObject([{ code: 'media_missing' }])
  })
})

test('messages that a room refuses are reported again until accepted, in order', async () => {
  const ana = somebody()
  await ana.say(OURS, 'Zero')
  await heard('Zero')
  world.sink.refusals = 2
  for (const text of ['One', 'Two', 'Three']) await ana.say(OURS, text)
  await heard('Three')
  expect(world.of(shop, 'received').map(({ text }) => text)).toEqual(['Zero', 'One', 'Two', 'Three'])
})

test('messages sent while the number was offline arrive once, even if an acknowledgement was lost', async () => {
  const ana = somebody()
  await ana.say(OURS, 'Before')
  await heard('Before')
  await world.smv2.engine.stop(shop)
  await ana.say(OURS, 'While away')
  // The network misses that it arrived, and brings the same bytes again at the next login.
  world.whatsapp.faults.onReceipt(1)
  await world.smv2.engine.start(shop)
  await heard('While away')
  await world.heard(shop, 'link_lost')
  await ana.say(OURS, 'After')
  await heard('After')
  const { device } = world.whatsapp.phone(OURS)
  await until('all of it acknowledged', () => device.waiting.length === 0)
  expect(world.of(shop, 'received').map(({ text }) => text)).toEqual(['Before', 'While away', 'After'])
})
