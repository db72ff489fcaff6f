import { contentOf } from '../../../main/kernel/file-content.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import type { EngineInstance, Outgoing } from '../../../main/engines/engine.ts'
import { sampleFile, turnedPhoto } from '../../support/samples.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550200'

let world: LineWorld
let shop: EngineInstance
let person = 100

beforeAll(async () => {
  world = await lineWorld({ heldAckMs: 1_500 })
  shop = await world.connect(OURS)
  // The first thumbnail takes long on a busy machine, and a message does not wait for it.
  await world.send(shop, { ...media('image', 'image/png'), to: somebody().number })
})
afterAll(() => world.close())
beforeEach(async () => {
  world.forget()
  // What a test before has cost is not this one's concern.
  await until('a link', async () => (await world.smv2.engine.resume(shop)) === 'connected' || undefined)
})

/** Somebody nobody has written to yet. */
const somebody = () => world.whatsapp.phone(`12025551${String(person++)}`)
const refusal = (code: string, provider_code: number | null = null) => ({
  kind: 'refused',
  error: { code, provider_code, message: expect.any(String) },
})

const { bytes: PICTURE } = sampleOf('image')
const { bytes: VOICE } = sampleOf('audio')
const { bytes: MOVIE } = sampleOf('video')
const media = (
  mediaType: 'image' | 'video' | 'audio' | 'document' | 'sticker',
  mimeType: string,
): Partial<Extract<Outgoing, { kind: 'media' }>> => ({
  ...{ kind: 'media', mediaType, mimeType, content: contentOf(PICTURE), caption: null, filename: 'a.pdf' },
})

/** A decoded message has no bytes where none were sent. */
const NO_BYTES = expect.toSatisfy((bytes: Uint8Array | null | undefined) => !bytes?.length, 'no bytes')
const A_JPEG = expect.toSatisfy(
  (bytes: Uint8Array) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes.length < 8_000,
  'a small JPEG',
)

const KINDS: readonly (readonly [name: string, Partial<Outgoing>, arrived: object])[] = [
  [
    'a picture',
    media('image', 'image/png'),
    { type: 'image', file: PICTURE, content: { imageMessage: { width: 64, height: 64, jpegThumbnail: A_JPEG } } },
  ],
  [
    'a photo that is to be turned',
    { ...media('image', 'image/jpeg'), content: contentOf(turnedPhoto()) },
    { type: 'image', content: { imageMessage: { width: 300, height: 400, jpegThumbnail: A_JPEG } } },
  ],
  [
    'a picture that cannot be read',
    { ...media('image', 'image/jpeg'), content: contentOf(sampleFile('photo.jpg').subarray(0, 300)) },
    { type: 'image', content: { imageMessage: { jpegThumbnail: NO_BYTES } } },
  ],
  [
    'a video',
    { ...media('video', 'video/mp4'), content: contentOf(MOVIE) },
    { type: 'video', file: MOVIE, content: { videoMessage: { seconds: 1, width: 16, height: 16 } } },
  ],
  [
    'a film',
    { ...media('video', 'video/mp4'), content: contentOf(sampleFile('clip.mp4')) },
    { type: 'video', content: { videoMessage: { seconds: 2, width: 320, height: 180, jpegThumbnail: A_JPEG } } },
  ],
  [
    'a GIF',
    { ...media('video', 'video/mp4'), content: contentOf(MOVIE), isGif: true },
    { type: 'video', content: { videoMessage: { gifPlayback: true } } },
  ],
  [
    'a voice note',
    { ...media('audio', 'audio/ogg'), content: contentOf(VOICE) },
    { type: 'audio', content: { audioMessage: { ptt: true, seconds: 1, mimetype: 'audio/ogg; codecs=opus' } } },
  ],
  ['a sound', media('audio', 'audio/mpeg'), { type: 'audio', content: { audioMessage: { ptt: false } } }],
  [
    'a document',
    media('document', 'application/pdf'),
    { type: 'document', content: { documentMessage: { fileName: 'a.pdf', jpegThumbnail: NO_BYTES } } },
  ],
  [
    'a PDF',
    { ...media('document', 'application/pdf'), content: contentOf(sampleOf('document').bytes) },
    { type: 'document', content: { documentMessage: { pageCount: 1 } } },
  ],
  [
    'a picture as a document',
    { ...media('document', 'image/png'), filename: 'a.png' },
    { type: 'document', content: { documentMessage: { fileName: 'a.png', jpegThumbnail: A_JPEG } } },
  ],
  ['a sticker', media('sticker', 'image/webp'), { type: 'sticker', file: PICTURE }],
  [
    'a place',
    { kind: 'location', latitude: 1.5, longitude: -2, name: 'Shop', address: 'Main St' },
    { type: 'location', content: { locationMessage: { degreesLatitude: 1.5, name: 'Shop' } } },
  ],
  [
    'a contact',
    { kind: 'contact', name: 'Ben; Sons', number: '12025550102' },
    { type: 'contact', content: { contactMessage: { vcard: expect.stringContaining('FN:Ben\\; Sons\nTEL;') } } },
  ],
  [
    'several contacts',
    { kind: 'contact', name: 'Ben', number: '12025550102', others: [{ name: 'Eve', number: '12025550103' }] },
    { content: { contactsArrayMessage: { contacts: [{ displayName: 'Ben' }, { displayName: 'Eve' }] } } },
  ],
  [
    'a poll',
    { kind: 'poll', question: 'When?', options: ['Today', 'Later'], maxChoices: 2 },
    { type: 'poll', text: 'When?' },
  ],
]

test.each(KINDS)('a phone decrypts a sent message correctly: %s', async (_name, out, arrived) => {
  const ben = somebody()
  expect((await world.send(shop, { ...out, to: ben.number })).outcome).toMatchObject({ kind: 'accepted' })
  await until('arrived', () => ben.received().length > 0)
  expect(ben.received()).toMatchObject([{ times: 1, ...arrived }])
})

test('messages to a group are encrypted with one key for all members', async () => {
  const [ana, ben] = [somebody(), somebody()]
  const { id } = world.whatsapp.group('Garden', [OURS, ana.number, ben.number])
  for (const text of ['One', 'Two']) {
    expect((await world.send(shop, { to: `${id}@g.us`, text })).outcome).toMatchObject({ kind: 'accepted' })
  }
  for (const phone of [ana, ben]) {
    await until('both', () => phone.received().length === 2)
    expect(phone.received().map(({ text }) => text)).toEqual(['One', 'Two'])
  }
})

describe('actions on messages', () => {
  test('react, remove the reaction, edit, delete and mark as read', async () => {
    const { direct } = world.smv2.engine
    const ana = somebody()
    const { outcome } = await world.send(shop, { to: ana.number, text: 'Tomatos' })
    const engineMessageId = outcome.kind === 'accepted' ? outcome.engineMessageId : ''
    const ours = { engineMessageId, chat: ana.number, isOwn: true, participant: null }
    await direct?.edit?.(shop, ours, 'Tomatoes')
    const said = await ana.say(OURS, 'Thanks')
    const theirs = { engineMessageId: said, chat: ana.number, isOwn: false, participant: null }
    await world.heard(shop, 'received')
    await direct?.react?.(shop, theirs, '👍')
    await direct?.react?.(shop, theirs, '')
    await direct?.markRead?.(shop, theirs)
    await direct?.remove?.(shop, ours)
    await until('all of it', () => ana.received().length === 5)
    expect(ana.received().map(({ type, text, about }) => [type, text, about])).toEqual([
      ['text', 'Tomatos', null],
      ['edit', 'Tomatoes', engineMessageId],
      ['reaction', '👍', said],
      ['reaction', '', said],
      ['delete', null, engineMessageId],
    ])
    await until('read', () => ana.receiptsOf(said).includes('read'))
  })
})

describe('actions on a message of another person in a group', () => {
  test.each(['lid', 'pn'] as const)('name the author as the group addresses members: %s', async (addressing) => {
    const { direct } = world.smv2.engine
    const [ana, ben] = [somebody(), somebody()]
    const { id } = world.whatsapp.group('Garden', [OURS, ana.number, ben.number], addressing)
    const said = await ana.say(id, 'Who brings cake?')
    const { chat, participant } = await world.heard(shop, 'received', (signal) => signal.engineMessageId === said)
    const theirs = { engineMessageId: said, chat, isOwn: false, participant }
    await direct?.markRead?.(shop, theirs)
    await until('read', () => ana.receiptsOf(said).includes('read'))
    await direct?.react?.(shop, theirs, '🍰')
    await until('the reaction', () => ben.received().length === 2)
    const speaker = addressing === 'lid' ? `${ana.lid}@lid` : `${ana.number}@s.whatsapp.net`
    const key = { remoteJid: chat, id: said, fromMe: false, participant: speaker }
    expect(ben.received()[1]?.content.reactionMessage?.key).toMatchObject(key)
  })

  test('also work if the author has left the group', async () => {
    const { direct } = world.smv2.engine
    const [ana, ben] = [somebody(), somebody()]
    const { id } = world.whatsapp.group('Garden', [OURS, ana.number, ben.number])
    const said = await ana.say(id, 'Goodbye')
    const { chat, participant } = await world.heard(shop, 'received', (signal) => signal.engineMessageId === said)
    await direct?.changeMembers?.(shop, chat, 'remove', [ana.number])
    await direct?.react?.(shop, { engineMessageId: said, chat, isOwn: false, participant }, '👋')
    await until('the reaction', () => ben.received().length === 2)
    expect(ben.received()[1]?.content.reactionMessage?.key).toMatchObject({ participant: `${ana.lid}@lid` })
  })
})

describe('the address of a sent message', () => {
  const sentTo = () => {
    const stanzas = world.whatsapp.phone(OURS).device.heard.filter(({ tag }) => tag === 'message')
    const { to, peer_recipient_pn: beside } = stanzas.at(-1)?.attrs ?? {}
    return { to, beside }
  }
  const questions = () =>
    world.whatsapp.phone(OURS).device.heard.filter(({ tag, attrs }) => tag === 'iq' && attrs['type'] === 'get').length

  test('is the hidden id with the number, without a look-up once both are known', async () => {
    const ana = somebody()
    expect((await world.send(shop, { to: ana.number })).outcome).toMatchObject({ kind: 'accepted' })
    expect(sentTo()).toEqual({ to: `${ana.lid}@lid`, beside: `${ana.number}@s.whatsapp.net` })
    const asked = questions()
    expect((await world.send(shop, { to: ana.number, text: 'Again' })).outcome).toMatchObject({ kind: 'accepted' })
    expect(sentTo()).toEqual({ to: `${ana.lid}@lid`, beside: `${ana.number}@s.whatsapp.net` })
    expect(questions()).toBe(asked)
    await until('both', () => ana.received().length === 2)
    expect(ana.received()).toMatchObject([{ times: 1 }, { text: 'Again', times: 1 }])
  })

  test('contains the number also if the person has shown only the hidden id', async () => {
    const ana = somebody()
    ana.behave({ shows: 'lid' })
    await ana.say(OURS, 'Hello')
    await world.heard(shop, 'received')
    expect((await world.send(shop, { to: ana.number })).outcome).toMatchObject({ kind: 'accepted' })
    expect(sentTo()).toEqual({ to: `${ana.lid}@lid`, beside: `${ana.number}@s.whatsapp.net` })
  })

  test('is only the hidden id if the number is unknown', async () => {
    const ana = somebody()
    ana.behave({ shows: 'lid_only' })
    await ana.say(OURS, 'Hello')
    await world.heard(shop, 'received')
    expect((await world.send(shop, { to: ana.lid })).outcome).toMatchObject({ kind: 'accepted' })
    expect(sentTo()).toEqual({ to: `${ana.lid}@lid`, beside: undefined })
  })

  test('is the number if the network has no hidden id', async () => {
    const ana = somebody()
    ana.behave({ shows: 'number_only' })
    await ana.say(OURS, 'Hello')
    await world.heard(shop, 'received')
    expect((await world.send(shop, { to: ana.number })).outcome).toMatchObject({ kind: 'accepted' })
    expect(sentTo()).toEqual({ to: `${ana.number}@s.whatsapp.net`, beside: undefined })
    await until('it', () => ana.received().length === 1)
    expect(ana.received()).toMatchObject([{ times: 1 }])
  })

  test('is the hidden id also for a copy that the phone requests again', async () => {
    const ana = somebody()
    await world.send(shop, { to: ana.number, text: 'One' })
    await until('it', () => ana.received().length === 1)
    await ana.say(OURS, 'Now there is a session on both sides')
    await world.heard(shop, 'received')
    ana.loseSessions()
    const { messageId, outcome } = await world.send(shop, { to: ana.number, text: 'Two' })
    expect(outcome).toMatchObject({ kind: 'accepted' })
    await until('read', () => world.statuses(shop, messageId).includes('read'))
    expect(ana.received().map(({ text }) => text)).toEqual(['One', 'Two'])
    expect(sentTo().to).toBe(`${ana.lid}@lid`)
  })
})

describe('a failed send', () => {
  test('whose answer is lost with the connection is unknown, and delivered once', async () => {
    const ana = somebody()
    world.whatsapp.faults.onMessage({ kind: 'cut_before_ack' }, ana.number)
    const { messageId, outcome } = await world.send(shop, { to: ana.number, text: 'Once' })
    expect(outcome).toMatchObject({ kind: 'unknown' })
    const { status, engineMessageId } = await world.heard(shop, 'receipt', (signal) => signal.messageId === messageId)
    expect([status, engineMessageId]).toEqual(['delivered', ana.received()[0]?.id])
    expect(ana.received()).toMatchObject([{ text: 'Once', times: 1 }])
    expect(world.hasLeft(messageId)).toBe(true)
  })

  test('whose connection is lost before encryption is nothing_sent', async () => {
    const { messageId, outcome } = await world.send(shop, { to: '12025550502' })
    expect(outcome).toMatchObject({ kind: 'nothing_sent' })
    expect(world.hasLeft(messageId)).toBe(false)
    expect(world.whatsapp.phone('12025550502').received()).toEqual([])
  })

  test('without an answer in time is unknown, and a late answer is reported', async () => {
    const { messageId, outcome } = await world.send(shop, { to: '12025550504' }, 800)
    expect(outcome).toMatchObject({ kind: 'unknown' })
    expect(world.smv2.engine.evidence(shop).issues).toMatchObject([{ code: 'link_doubtful' }])
    await world.heard(shop, 'receipt', (signal) => signal.messageId === messageId && signal.status === 'sent')
  })

  test('that is canceled during the key look-up is never sent', async () => {
    const ana = somebody()
    const { messageId, outcome } = await world.send(shop, { to: ana.number }, 0)
    expect(outcome).toMatchObject({ kind: 'nothing_sent' })
    expect((await world.send(shop, { to: ana.number, text: 'Next' })).outcome).toMatchObject({ kind: 'accepted' })
    await until('the next', () => ana.received().length > 0)
    expect(ana.received().map(({ text }) => text)).toEqual(['Next'])
    expect(world.hasLeft(messageId)).toBe(false)
  })

  test('that is refused after it was accepted is reported as failed', async () => {
    const { messageId, outcome } = await world.send(shop, { to: '12025550410' })
    expect(outcome).toMatchObject({ kind: 'accepted' })
    const { error } = await world.heard(shop, 'failed', (signal) => signal.messageId === messageId)
    expect(error).toMatchObject({ code: 'engine_rejected', provider_code: 479 })
  })

  test('to a number not on WhatsApp is refused, and the number is not looked up again', async () => {
    const asked = () => world.whatsapp.phone(OURS).device.heard.length
    expect((await world.send(shop, { to: '12025550404' })).outcome).toMatchObject(refusal('not_on_whatsapp'))
    const before = asked()
    expect((await world.send(shop, { to: '12025550404' })).outcome).toMatchObject(refusal('not_on_whatsapp'))
    expect(asked()).toBe(before)
  })

  test('to a person with forged keys is nothing_sent', async () => {
    const ana = somebody()
    world.whatsapp.faults.forgeBundles(true)
    expect((await world.send(shop, { to: ana.number })).outcome).toMatchObject({ kind: 'nothing_sent' })
    world.whatsapp.faults.forgeBundles(false)
    expect((await world.send(shop, { to: ana.number, text: 'Now' })).outcome).toMatchObject({ kind: 'accepted' })
    await until('arrived', () => ana.received().length > 0)
    expect(ana.received().map(({ text }) => text)).toEqual(['Now'])
  })

  test('whose file cannot be uploaded is nothing_sent', async () => {
    world.whatsapp.cdn.refuseUploads(503)
    const out = { ...media('image', 'image/png'), to: somebody().number }
    expect((await world.send(shop, out)).outcome).toMatchObject({ kind: 'nothing_sent' })
    world.whatsapp.cdn.refuseUploads(null)
    expect((await world.send(shop, out)).outcome).toMatchObject({ kind: 'accepted' })
  })
})

describe('a number that is restricted from starting chats', () => {
  test('is refused once, tries no other new person, and can still write to people who have written', async () => {
    const line = await world.connect('12025550210')
    const ana = somebody()
    await ana.say('12025550210', 'Hello')
    await world.heard(line, 'received')
    const untilMs = Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000
    world.whatsapp.phone('12025550210').restrict(untilMs / 1_000)
    expect((await world.send(line, { to: somebody().number })).outcome).toMatchObject(
      refusal('reachout_restricted', 463),
    )
    await until('until when', () => world.smv2.engine.evidence(line).restriction?.untilMs === untilMs)
    const cold = somebody()
    expect((await world.send(line, { to: cold.number })).outcome).toMatchObject(refusal('reachout_restricted', 463))
    const { heard } = world.whatsapp.phone('12025550210').device
    expect(heard.filter(({ tag, attrs }) => tag === 'message' && attrs['to']?.startsWith(cold.number))).toEqual([])
    expect((await world.send(line, { to: ana.number })).outcome).toMatchObject({ kind: 'accepted' })
  })
})

test.each([
  ['a Brazilian number', '5511987654321', '551187654321'],
  ['a Brazilian number without the ninth digit', '554789211984', '5547989211984'],
  ['a Mexican number', '525512345678', '5215512345678'],
  ['a Mexican number with the 1 of before', '5215587654321', '525587654321'],
  ['an Argentine number without the 9', '541123456789', '5491123456789'],
  ['a Beninese number', '2290197123456', '22997123456'],
  ['an Ivorian number', '2250718139912', '22518139912'],
])('%s is sent to in the network’s spelling, without changing the contact', async (_what, written, registered) => {
  world.whatsapp.alias(written, registered)
  const person = world.whatsapp.phone(registered)
  expect((await world.send(shop, { to: written, text: 'Oi' })).outcome).toMatchObject({ kind: 'accepted' })
  await until('arrived', () => person.received().length > 0)
  expect(world.of(shop, 'contact')).toEqual([])
})

test('many numbers are looked up in one request, each with its own spelling and its hidden id', async () => {
  world.whatsapp.alias('525533334444', '5215533334444')
  const numbers = ['525533334444', '12025550404', '12025552998', '5215533334444']
  const found = await world.smv2.engine.direct?.check?.(shop, numbers)
  expect(found).toEqual([
    { number: '525533334444', exists: true, canonical: '5215533334444' },
    { number: '12025550404', exists: false, canonical: null },
    { number: '12025552998', exists: true, canonical: '12025552998' },
    { number: '5215533334444', exists: true, canonical: '5215533334444' },
  ])
  const { lid } = world.whatsapp.phone('12025552998')
  expect(world.keys(shop, 'lid-mapping')).toMatchObject({ '12025552998': lid, [`${lid}_reverse`]: '12025552998' })
})
