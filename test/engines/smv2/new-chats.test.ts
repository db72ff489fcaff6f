import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550220'
const people = ['12025551901', '12025551902', '12025551903']
const HOUR_MS = 3_600_000

let world: LineWorld
let shop: EngineInstance
let untilMs: number
beforeEach(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
  untilMs = Math.ceil(Date.now() / 1_000) * 1_000 + 5 * HOUR_MS
})
afterEach(() => world.close())

const allow = (total: number) => world.whatsapp.phone(OURS).limitNewChats({ total, untilSeconds: untilMs / 1_000 })
const said = () => world.smv2.engine.evidence(shop)
const send = async (to = '') => (await world.send(shop, { to })).outcome
const REFUSED = {
  kind: 'refused',
  error: { code: 'reachout_restricted', message: expect.stringContaining('new chats') },
}

test('a number without a limit on new chats shows none', () => {
  expect(said()).toMatchObject({ newChats: null, restriction: null })
})

test('each new person counts once, and people who wrote before do not count', async () => {
  await world.whatsapp.phone('12025551999').say(OURS, 'Hello')
  await world.heard(shop, 'received')
  allow(3)
  await until('the limit', () => Boolean(said().newChats))
  for (const to of [people[0], people[0], '12025551999', people[1]]) await send(to)
  await until('the count', () => said().newChats?.used === 2)
  expect(said()).toMatchObject({ newChats: { used: 2, limit: 3, endsAtMs: untilMs }, restriction: null })
})

test('after the limit no further chat can be started until the cycle ends, and people who wrote can be answered', async () => {
  const ana = world.whatsapp.phone('12025551999')
  await ana.say(OURS, 'Hello')
  await world.heard(shop, 'received')
  allow(2)
  await until('the limit', () => Boolean(said().newChats))
  expect(await send(people[0])).toMatchObject({ kind: 'accepted' })
  expect(await send(people[1])).toMatchObject({ kind: 'accepted' })
  await until('used up', () => said().restriction !== null)
  expect(said()).toMatchObject({
    newChats: { used: 2, limit: 2, endsAtMs: untilMs },
    restriction: { kind: 'new_chats_used_up', untilMs },
  })
  expect(await send(people[2])).toMatchObject(REFUSED)
  expect(world.whatsapp.phone(people[2] ?? '').received()).toEqual([])
  expect(await send(ana.number)).toMatchObject({ kind: 'accepted' })
})

test('a lifted limit allows new chats again', async () => {
  allow(1)
  await until('the limit', () => Boolean(said().newChats))
  await send(people[0])
  await until('used up', () => said().restriction !== null)
  world.whatsapp.phone(OURS).limitNewChats(null)
  await until('free', () => said().restriction === null)
  expect(await send(people[1])).toMatchObject({ kind: 'accepted' })
})

test('the used part of the limit is stored and known after a restart', async () => {
  allow(1)
  await until('the limit', () => Boolean(said().newChats))
  await send(people[0])
  await until('used up', () => said().restriction !== null)
  await until('stored', () => world.keys(shop, 'new-chat-cap')['cap'] !== undefined)
  await world.restart(shop)
  await until('known', () => said().restriction !== null)
  expect(await send(people[1])).toMatchObject(REFUSED)
})

test('a limit does not apply after its cycle has ended', async () => {
  untilMs = Math.ceil(Date.now() / 1_000) * 1_000 + 2_000
  allow(1)
  await until('the limit', () => Boolean(said().newChats))
  await send(people[0])
  await until('used up', () => said().restriction !== null)
  await until('the end', () => Date.now() > untilMs)
  expect(said()).toMatchObject({ newChats: null, restriction: null })
  expect(await send(people[1])).toMatchObject({ kind: 'accepted' })
})
