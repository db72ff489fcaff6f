import { contentOf } from '../../../main/kernel/file-content.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance, Outgoing, Quoted } from '../../../main/engines/engine.ts'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import { until } from '../../support/service-process.ts'
import type { Phone } from '../../support/whatsapp/index.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550220'

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
const numberJid = (number: string) => `${number}@s.whatsapp.net`

/** What somebody said, as the rooms keep it. */
async function heard(id: string): Promise<Quoted> {
  const said = await world.heard(shop, 'received', ({ engineMessageId }) => engineMessageId === id)
  const { engineMessageId, chat, participant, type, text } = said
  return { engineMessageId, chat, participant, type, text, isOwn: false }
}

/** The same of something said by us. */
async function sent(out: Partial<Outgoing> & { to: string }, type = 'text', text = 'Hello'): Promise<Quoted> {
  const { outcome } = await world.send(shop, out)
  if (outcome.kind !== 'accepted') throw new Error(`not sent: ${outcome.kind}`)
  const { engineMessageId } = outcome
  return { engineMessageId, chat: out.to, participant: null, type, text, isOwn: true }
}

/** Answers, and @returns what the phone has decrypted of it. */
async function answered(phone: Phone, quoted: Quoted, out: Partial<Outgoing> = { kind: 'text', text: 'Yes' }) {
  const whole = { ...out, to: quoted.chat, quoted } as Outgoing
  const { engineMessageId } = await sent(whole)
  return until('the answer', () => phone.received().find(({ id }) => id === engineMessageId))
}

const answer = (stanzaId: string, participant: string, quotedMessage: object) => ({
  about: stanzaId,
  content: { extendedTextMessage: { text: 'Yes', contextInfo: { stanzaId, participant, quotedMessage } } },
})

const { bytes: PICTURE } = sampleOf('image')
const media = (mediaType: 'image' | 'video' | 'audio' | 'document' | 'sticker', mimeType: string) =>
  ({ kind: 'media', mediaType, mimeType, content: contentOf(PICTURE), caption: null, filename: null }) as const

describe('a reply in a chat', () => {
  test('to a received message names the other side as its author', async () => {
    const ana = somebody()
    const said = await ana.say(OURS, 'Open today?')
    const arrived = await answered(ana, await heard(said))
    expect(arrived).toMatchObject(answer(said, numberJid(ana.number), { conversation: 'Open today?' }))
  })

  test('to a sent message names the own number as its author', async () => {
    const ana = somebody()
    const ours = await sent({ to: ana.number, text: 'Open until six' }, 'text', 'Open until six')
    const arrived = await answered(ana, ours)
    expect(arrived).toMatchObject(answer(ours.engineMessageId, numberJid(OURS), { conversation: 'Open until six' }))
  })

  test('with a person who hides their number uses the hidden ids of both', async () => {
    const ghost = world.whatsapp.phone('12025552900', { shows: 'lid_only' })
    const said = await ghost.say(OURS, 'Who am I?')
    const theirs = await heard(said)
    expect(await answered(ghost, theirs)).toMatchObject(answer(said, `${ghost.lid}@lid`, { conversation: 'Who am I?' }))
    const ours = await sent({ to: theirs.chat })
    const us = world.whatsapp.phone(OURS)
    expect(await answered(ghost, ours)).toMatchObject(
      answer(ours.engineMessageId, `${us.lid}@lid`, { conversation: 'Hello' }),
    )
  })

  test('to a Brazilian number uses the spelling of the network', async () => {
    world.whatsapp.alias('5511987650000', '551187650000')
    const rio = world.whatsapp.phone('551187650000')
    const said = await rio.say(OURS, 'Oi')
    const arrived = await answered(rio, { ...(await heard(said)), chat: '5511987650000' })
    expect(arrived).toMatchObject(answer(said, numberJid('551187650000'), { conversation: 'Oi' }))
  })

  test('contains the quote again when the phone could not decrypt it', async () => {
    const ana = somebody()
    const said = await ana.say(OURS, 'Open today?')
    const theirs = await heard(said)
    await answered(ana, theirs)
    ana.loseSessions()
    const before = ana.unread
    expect(await answered(ana, theirs)).toMatchObject(
      answer(said, numberJid(ana.number), { conversation: 'Open today?' }),
    )
    expect(ana.unread).toBeGreaterThan(before)
  })
})

describe.each(['lid', 'pn'] as const)('a reply in a group that addresses its members by %s', (addressing) => {
  const nameOf = (phone: Phone) => (addressing === 'lid' ? `${phone.lid}@lid` : numberJid(phone.number))

  test('names its author by that id: other members, the own number, and a former member', async () => {
    const [ana, ben] = [somebody(), somebody()]
    const { id } = world.whatsapp.group('Garden', [OURS, ana.number, ben.number], addressing)
    const said = await ana.say(id, 'Who brings cake?')
    const theirs = await heard(said)
    const quote = answer(said, nameOf(ana), { conversation: 'Who brings cake?' })
    expect(await answered(ben, theirs)).toMatchObject(quote)

    const ours = await sent({ to: theirs.chat })
    expect(await answered(ben, ours)).toMatchObject(
      answer(ours.engineMessageId, nameOf(world.whatsapp.phone(OURS)), { conversation: 'Hello' }),
    )

    await world.smv2.engine.direct?.changeMembers?.(shop, theirs.chat, 'remove', [ana.number])
    expect(await answered(ben, theirs)).toMatchObject(quote)
  })
})

test.each([
  ['lid', '@lid'],
  ['pn', '@s.whatsapp.net'],
] as const)(
  'a reply in a group addressed by %s to a former member without a known number keeps the id they had',
  async (addressing, server) => {
    const [ana, ben] = [somebody(), somebody()]
    const { id } = world.whatsapp.group('Garden', [OURS, ana.number, ben.number], addressing)
    const said = await ana.say(id, 'Goodbye')
    // Nobody on the network has such a number.
    const gone = '900000099990404'
    const arrived = await answered(ben, { ...(await heard(said)), participant: gone })
    expect(arrived).toMatchObject(answer(said, `${gone}${server}`, { conversation: 'Goodbye' }))
  },
)

describe('the quote of a message contains what is stored of its kind', () => {
  const KINDS: readonly (readonly [type: string, quotedMessage: object])[] = [
    ['text', { conversation: 'words' }],
    ['image', { imageMessage: { caption: 'words' } }],
    ['video', { videoMessage: { caption: 'words' } }],
    ['audio', { audioMessage: {} }],
    ['document', { documentMessage: { caption: 'words' } }],
    ['sticker', { stickerMessage: {} }],
    ['location', { locationMessage: { name: 'words' } }],
    ['contact', { contactMessage: { displayName: 'words' } }],
    ['poll', { pollCreationMessage: { name: 'words' } }],
    ['unavailable', { conversation: 'words' }],
  ]

  test.each(KINDS)('%s', async (type, quotedMessage) => {
    const ana = somebody()
    const said = await ana.say(OURS, 'words')
    const arrived = await answered(ana, { ...(await heard(said)), type })
    expect(arrived).toMatchObject(answer(said, numberJid(ana.number), quotedMessage))
  })
})

describe('every kind of message can be a reply', () => {
  const card = { url: 'https://x.example', title: 'X', description: null }
  const OUT: readonly [part: string, Partial<Outgoing>, arrived?: object][] = [
    ['extendedTextMessage', { kind: 'text', text: 'https://x.example', preview: card }],
    ['imageMessage', { ...media('image', 'image/png'), caption: 'Look' }, { text: 'Look', file: PICTURE }],
    ['videoMessage', media('video', 'video/mp4'), { file: PICTURE }],
    ['audioMessage', media('audio', 'audio/ogg; codecs=opus'), { file: PICTURE }],
    ['documentMessage', media('document', 'application/pdf'), { file: PICTURE }],
    ['stickerMessage', media('sticker', 'image/webp'), { file: PICTURE }],
    ['locationMessage', { kind: 'location', latitude: 1.5, longitude: -2, name: 'Shop', address: null }],
    ['contactMessage', { kind: 'contact', name: 'Ben', number: '12025550102' }],
    ['pollCreationMessageV3', { kind: 'poll', question: 'When?', options: ['Today', 'Later'], maxChoices: 1 }],
    ['pollCreationMessage', { kind: 'poll', question: 'When?', options: ['Today', 'Later'], maxChoices: 2 }],
  ]

  test.each(OUT)('%s', async (part, out, arrived = {}) => {
    const ana = somebody()
    const picture = await ana.sendFile(OURS, { kind: 'image', bytes: PICTURE, mimeType: 'image/png', caption: 'Ours?' })
    const contextInfo = {
      stanzaId: picture,
      participant: numberJid(ana.number),
      quotedMessage: { imageMessage: { caption: 'Ours?' } },
    }
    expect(await answered(ana, await heard(picture), out)).toMatchObject({
      ...{ about: picture, times: 1, content: { [part]: { contextInfo } } },
      ...arrived,
    })
  })
})
