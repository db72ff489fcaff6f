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

const device = () => world.whatsapp.phone(OURS).device

/** Only what was said is told, and nothing is the matter. */
async function onlyHeard(words: string): Promise<void> {
  await world.heard(shop, 'received', ({ text }) => text === words)
  await until('all of it acknowledged', () => device().waiting.length === 0)
  const told = world.told(shop).filter(({ kind }) => kind !== 'receipt')
  expect(told).toMatchObject([{ kind: 'received', text: words }])
  await until('nothing left to tell', () => world.data.raw.prepare(UNTOLD).get() === undefined)
  expect(device().logins).toBe(1)
  expect(objections).toEqual([])
}

test('votes in a poll of ours, changed and taken back, tell nobody anything and disturb nothing', async () => {
  const ana = world.whatsapp.phone('12025550101')
  const { outcome } = await world.send(shop, { to: ana.number, ...POLL })
  const poll = outcome.kind === 'accepted' ? outcome.engineMessageId : ''
  await until('the poll', () => ana.received().some(({ id }) => id === poll))
  const votes: string[] = []
  for (const choices of [['Today'], ['Today', 'Tomorrow'], []]) votes.push(await ana.vote(poll, choices))
  await ana.say(OURS, 'Voted')
  await onlyHeard('Voted')
  // They were decrypted and counted as arrived, not refused.
  for (const id of votes) expect(ana.receiptsOf(id)).toEqual(['inactive'])
})

test('the same in a group, also from the own phone', async () => {
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
  await onlyHeard('Voted')
})
