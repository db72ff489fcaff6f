import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contentOf } from '../../../main/kernel/file-content.ts'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550230'

let world: LineWorld
let shop: EngineInstance
let person = 100

beforeAll(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
})
afterAll(() => world.close())
beforeEach(() => world.forget())

const somebody = () => world.whatsapp.phone(`12025554${String(person++)}`)

describe.each(['lid', 'pn'] as const)('a group whose members are named by %s', (addressing) => {
  test('gets text, files and replies, with mentions in the group’s own form of ids', async () => {
    const [ana, ben] = [somebody(), somebody()]
    const { id } = world.whatsapp.group('Garden', [OURS, ana.number, ben.number], addressing)
    const to = `${id}@g.us`
    const user = addressing === 'lid' ? ana.lid : ana.number
    const jid = addressing === 'lid' ? `${ana.lid}@lid` : `${ana.number}@s.whatsapp.net`
    const said = await ana.say(id, 'Who brings cake?')
    const heard = await world.heard(shop, 'received', ({ engineMessageId }) => engineMessageId === said)
    const quoted = {
      engineMessageId: said,
      ...{ chat: to, isOwn: false, participant: heard.participant, type: 'text', text: heard.text },
    }
    const mentions = [ana.number]
    const text = `@${ana.number}, me. Not @${ana.number}0`
    expect((await world.send(shop, { to, text, mentions, quoted })).outcome).toMatchObject({ kind: 'accepted' })
    const media = {
      kind: 'media' as const,
      ...{
        mediaType: 'image' as const,
        mimeType: 'image/png',
        content: contentOf(sampleOf('image').bytes),
        filename: null,
      },
    }
    const picture = await world.send(shop, { ...media, to, caption: `@${ana.number} look`, mentions })
    expect(picture.outcome).toMatchObject({ kind: 'accepted' })

    await until('all of it', () => ben.received().length === 3)
    const [, answer, image] = ben.received().map(({ content }) => content)
    expect(answer?.extendedTextMessage).toMatchObject({
      text: `@${user}, me. Not @${ana.number}0`,
      contextInfo: { stanzaId: said, participant: jid, mentionedJid: [jid] },
    })
    expect(image?.imageMessage).toMatchObject({ caption: `@${user} look`, contextInfo: { mentionedJid: [jid] } })
    await world.heard(shop, 'receipt', ({ messageId }) => messageId === picture.messageId)
  })
})

test('people outside the group cannot be mentioned, and nothing is sent if one is', async () => {
  const [ana, ben] = [somebody(), somebody()]
  const { id } = world.whatsapp.group('Garden', [OURS, ana.number])
  const { outcome } = await world.send(shop, { to: `${id}@g.us`, text: 'x', mentions: [ben.number] })
  expect(outcome).toMatchObject({ kind: 'invalid', message: expect.stringContaining(ben.number) })
  expect(ana.received()).toEqual([])
})

test('sending to a group without being a member gives an error that says so', async () => {
  const [ana, ben] = [somebody(), somebody()]
  const { id } = world.whatsapp.group('Theirs', [ana.number, ben.number])
  for (const to of [`${id}@g.us`, '120363999999999999@g.us']) {
    const { outcome } = await world.send(shop, { to })
    expect(outcome).toMatchObject({ kind: 'invalid', message: expect.stringContaining(to) })
    await expect(world.smv2.engine.direct?.group?.(shop, to)).rejects.toMatchObject({ code: 'not_found' })
    await expect(world.smv2.engine.direct?.renameGroup?.(shop, to, 'Ours')).rejects.toMatchObject({ code: 'not_found' })
    await expect(world.smv2.engine.direct?.inviteLink?.(shop, to, false)).rejects.toMatchObject({ code: 'not_found' })
  }
})

test('sending to a group in which only admins may write gives an error that says so', async () => {
  const ana = somebody()
  const group = world.whatsapp.group('News', [ana.number, OURS])
  group.reserveForAdmins()
  const { outcome } = await world.send(shop, { to: `${group.id}@g.us` })
  expect(outcome).toMatchObject({ kind: 'invalid', message: 'Only admins can write in this group.' })
})
