import { randomBytes } from 'node:crypto'
import type { proto } from 'baileys'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'
import { listenForObjections } from './objections.ts'

const OURS = '12025550200'
const POLL = { kind: 'poll', question: 'When?', options: ['Today', 'Tomorrow'], maxChoices: 2 } as const
const UNTOLD = 'SELECT seq FROM smv2_inbound WHERE told = 0'

let world: LineWorld
let shop: EngineInstance
let objections: readonly string[]

beforeEach(async () => {
  const listening = listenForObjections()
  objections = listening.heard
  world = await lineWorld({ log: listening.log })
  shop = await world.connect(OURS)
})
afterEach(() => world.close())

const pollOf = (name: string, options: readonly string[]): proto.IMessage => ({
  pollCreationMessageV3: { name, options: options.map((optionName) => ({ optionName })), selectableOptionsCount: 1 },
  messageContextInfo: { messageSecret: randomBytes(32) },
})

const device = () => world.whatsapp.phone(OURS).device

/** Nothing is the matter, and all of it was told. */
async function allHeard(words: string): Promise<void> {
  await world.heard(shop, 'received', ({ text }) => text === words)
  await until('all of it acknowledged', () => device().waiting.length === 0)
  await until('nothing left to tell', () => world.data.raw.prepare(UNTOLD).get() === undefined)
  expect(device().logins).toBe(1)
  expect(objections).toEqual([])
}

const votes = () => world.of(shop, 'vote').map(({ from, options }) => [from, ...options])

test('votes in a sent poll are reported with their choices, also when they are changed or removed', async () => {
  const ana = world.whatsapp.phone('12025550101')
  const { outcome } = await world.send(shop, { to: ana.number, ...POLL })
  const poll = outcome.kind === 'accepted' ? outcome.engineMessageId : ''
  await until('the poll', () => ana.received().some(({ id }) => id === poll))
  const sent: string[] = []
  for (const choices of [['Today'], ['Today', 'Tomorrow'], []]) sent.push(await ana.vote(poll, choices))
  await ana.say(OURS, 'Voted')
  await allHeard('Voted')
  expect(world.of(shop, 'vote')).toMatchObject([
    { engineMessageId: poll, chat: ana.number, from: ana.number, fromMe: false, options: ['Today'] },
    { options: ['Today', 'Tomorrow'] },
    { options: [] },
  ])
  // They were decrypted and counted as arrived, not refused.
  for (const id of sent) expect(ana.receiptsOf(id)).toEqual(['inactive'])
})

test('votes in a group poll are reported, also those from the own phone', async () => {
  const ana = world.whatsapp.phone('12025550101')
  const { id } = world.whatsapp.group('Garden', [ana.number, OURS])
  const { outcome } = await world.send(shop, { to: `${id}@g.us`, ...POLL })
  const poll = outcome.kind === 'accepted' ? outcome.engineMessageId : ''
  await until('the poll', () => ana.received().some((one) => one.id === poll))
  await until('its copy', () => world.whatsapp.phone(OURS).copies.some((one) => one.id === poll))
  for (const choices of [['Today'], []]) {
    await ana.vote(poll, choices)
    await world.whatsapp.phone(OURS).vote(poll, choices)
  }
  await ana.say(id, 'Voted')
  await allHeard('Voted')
  expect(votes().toSorted()).toEqual([[ana.number], [ana.number, 'Today'], [OURS], [OURS, 'Today']])
})

test('votes in a received poll are reported, also after a restart', async () => {
  const ana = world.whatsapp.phone('12025550101')
  const ben = world.whatsapp.phone('12025550102')
  const { id } = world.whatsapp.group('Garden', [ana.number, ben.number, OURS])
  const poll = await ana.send(id, pollOf('Cake or pie?', ['Cake', 'Pie']))
  const told = await world.heard(shop, 'received', ({ type }) => type === 'poll')
  expect(told).toMatchObject({ text: 'Cake or pie?', content: { type: 'poll', options: ['Cake', 'Pie'] } })
  await until('the poll', () => ben.received().some((one) => one.id === poll))
  await world.restart(shop)
  await ben.vote(poll, ['Pie'])
  expect(await world.heard(shop, 'vote')).toMatchObject({ engineMessageId: poll, from: ben.number, options: ['Pie'] })
})

test('a vote that arrives before its poll is reported after it, also after a restart', async () => {
  const ana = world.whatsapp.phone('12025550101')
  const poll = await ana.send(OURS, pollOf('When?', ['Today', 'Tomorrow']))
  await world.heard(shop, 'received')
  // As if this device had not been able to read it.
  world.data.raw.exec('DELETE FROM smv2_polls')
  world.forget()
  await ana.vote(poll, ['Tomorrow'])
  await until('the vote waits', () => world.data.raw.prepare('SELECT 1 FROM smv2_waiting_votes').get() !== undefined)
  expect(world.of(shop, 'vote')).toEqual([])
  await world.restart(shop)
  ana.repeat(poll)
  expect(await world.heard(shop, 'vote')).toMatchObject({ engineMessageId: poll, options: ['Tomorrow'] })
  expect(world.told(shop).map(({ kind }) => kind)).toEqual(['connected', 'received', 'vote'])
  await until('no vote waits', () => world.data.raw.prepare('SELECT 1 FROM smv2_waiting_votes').get() === undefined)
})
