import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550240'
const [DAY, WEEK] = [86_400, 604_800]

let world: LineWorld
let shop: EngineInstance
let person = 100

beforeAll(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
})
afterAll(() => world.close())
beforeEach(() => world.forget())

const somebody = () => world.whatsapp.phone(`12025553${String(person++)}`)
const timerOf = (to: string) => world.smv2.engine.direct?.chatTimer?.(shop, to)
const setTimer = (to: string, seconds: number) => world.smv2.engine.direct?.setChatTimer?.(shop, to, seconds)
type Person = ReturnType<typeof somebody>

/** How long what we write to them is shown. */
async function expiryAt(ana: Person) {
  const { outcome } = await world.send(shop, { to: ana.number, text: 'Hi' })
  const id = outcome.kind === 'accepted' ? outcome.engineMessageId : ''
  const { content } = await until('the message', () => ana.received().find((one) => one.id === id))
  return content.extendedTextMessage?.contextInfo?.expiration ?? 0
}

describe('a chat with one person', () => {
  test('keeps its messages by default', async () => {
    const ana = somebody()
    expect(await timerOf(ana.number)).toBe(0)
    expect(await expiryAt(ana)).toBe(0)
  })

  test('has the timer that the other side sets, also for sent messages', async () => {
    const ana = somebody()
    await ana.disappear(OURS, WEEK)
    await until('the timer', async () => (await timerOf(ana.number)) === WEEK)
    expect(await expiryAt(ana)).toBe(WEEK)
    await ana.disappear(OURS, 0)
    await until('no timer', async () => (await timerOf(ana.number)) === 0)
    expect(await expiryAt(ana)).toBe(0)
    expect(world.of(shop, 'received')).toEqual([])
  })

  test('has the timer that the engine sets, which is sent to the other side, also after a restart', async () => {
    const ana = somebody()
    await ana.say(OURS, 'Hello')
    await world.heard(shop, 'received')
    await setTimer(ana.number, DAY)
    await until('told', () => ana.timerOf(OURS) === DAY)
    expect(await timerOf(ana.number)).toBe(DAY)
    await world.restart(shop)
    expect(await timerOf(ana.number)).toBe(DAY)
    expect(await expiryAt(ana)).toBe(DAY)
    await setTimer(ana.number, 0)
    await until('told', () => ana.timerOf(OURS) === 0)
    expect(await expiryAt(ana)).toBe(0)
  })

  test('has the timer that the own phone sets', async () => {
    const ana = somebody()
    await world.whatsapp.phone(OURS).disappear(ana.number, DAY)
    await until('the timer', async () => (await timerOf(ana.number)) === DAY)
    expect(await expiryAt(ana)).toBe(DAY)
  })

  test('gets its timer from a message that contains it, and an older message does not change it back', async () => {
    const ana = somebody()
    const say = (expiration: number, ephemeralSettingTimestamp: number) =>
      ana.send(OURS, { extendedTextMessage: { text: 'Hi', contextInfo: { expiration, ephemeralSettingTimestamp } } })
    await say(WEEK, 1_790_000_000)
    await until('the timer', async () => (await timerOf(ana.number)) === WEEK)
    await say(DAY, 1_780_000_000)
    await until('both', () => world.of(shop, 'received').length === 2)
    expect(await timerOf(ana.number)).toBe(WEEK)
  })

  test('has one timer, whether the person shows the number or the hidden id', async () => {
    const ana = somebody()
    ana.behave({ shows: 'lid' })
    await ana.disappear(OURS, WEEK)
    await until('the timer', async () => (await timerOf(ana.number)) === WEEK)
    const ben = somebody()
    ben.behave({ shows: 'lid_only' })
    await ben.disappear(OURS, DAY)
    await ben.say(OURS, 'Hi')
    const { chat } = await world.heard(shop, 'received')
    expect(chat).toBe(ben.lid)
    expect(await timerOf(chat)).toBe(DAY)
  })
})

test('locations, polls, contact cards and forwarded messages disappear too', async () => {
  const ana = somebody()
  await ana.disappear(OURS, WEEK)
  await until('the timer', async () => (await timerOf(ana.number)) === WEEK)
  const to = ana.number
  const place = { kind: 'location', to, latitude: 1, longitude: 2, name: null, address: null } as const
  const poll = { kind: 'poll', to, question: 'When?', options: ['Now', 'Later'], maxChoices: 1 } as const
  const card = { kind: 'contact', to, name: 'Cleo', number: '12025550111' } as const
  for (const out of [place, poll, card]) expect((await world.send(shop, out)).outcome.kind).toBe('accepted')
  const ben = somebody()
  await ben.send(OURS, { contactMessage: { displayName: 'Dan', vcard: 'BEGIN:VCARD\nVERSION:3.0\nFN:Dan\nEND:VCARD' } })
  const { engineMessageId, chat, participant, type, text, content } = await world.heard(shop, 'received')
  const original = { engineMessageId, chat, participant, isOwn: false }
  await world.send(shop, { kind: 'forward', to, original, type, text, mediaId: null, details: content ?? null })
  await until('all', () => ana.received().length === 4)
  const contexts = ana
    .received()
    .map(({ content: whole }) => Object.values(whole).find((part) => Object(part).contextInfo)?.contextInfo?.expiration)
  expect(contexts).toEqual([WEEK, WEEK, WEEK, WEEK])
})

test('messages to a group have the timer set by its admins', async () => {
  const ana = somebody()
  const group = world.whatsapp.group('Garden', [OURS, ana.number])
  const id = `${group.id}@g.us`
  expect(await timerOf(id)).toBe(0)
  await setTimer(id, DAY)
  expect(group.timer).toBe(DAY)
  expect(await timerOf(id)).toBe(DAY)
  await ana.disappear(group.id, WEEK)
  await until('the timer', async () => (await timerOf(id)) === WEEK)
  await world.send(shop, { to: id, text: 'Hi' })
  const { content } = await until('arrived', () => ana.received().find(({ chat }) => chat === group.id))
  expect(content.extendedTextMessage?.contextInfo?.expiration).toBe(WEEK)
  const { heard } = world.whatsapp.phone(OURS).device
  expect(heard.findLast(({ tag }) => tag === 'message')?.attrs).toMatchObject({ to: id, expiration: String(WEEK) })
  await setTimer(id, 0)
  expect(await timerOf(id)).toBe(0)
})

test('timers set earlier are taken from the history that the phone sends', async () => {
  const ana = somebody()
  const other = '12025550241'
  await ana.say(other, 'Hello')
  await ana.disappear(other, WEEK)
  const line = await world.connect(other)
  await until('the timer', async () => (await world.smv2.engine.direct?.chatTimer?.(line, ana.number)) === WEEK)
})
