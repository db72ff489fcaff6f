import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DirectActs } from '../../../main/engines/direct.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

/** Every action of the phone line is asked of a stand-in; here, those that have no file of their own. */

const OURS = '12025550250'
const [ANA, BAKERY, BEN, CLEO] = ['12025551601', '12025551602', '12025551603', '12025551604'] as const
const PICTURE = 'https://pps.whatsapp.net/v/ana.jpg'

let world: LineWorld
let shop: EngineInstance

beforeAll(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
  world.whatsapp.phone(ANA, { about: 'At the market ☕', picture: { url: PICTURE } })
  world.whatsapp.phone(BAKERY, { isBusiness: true, picture: 'hidden' })
})
afterAll(() => world.close())

function act<K extends keyof DirectActs>(name: K): DirectActs[K] {
  const found = world.smv2.engine.direct?.[name]
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}

test('each action is used in a test against the simulated network', () => {
  const tests = readdirSync(import.meta.dirname)
    .filter((name) => /[.](?:test|slow)[.]ts$/.test(name))
    .map((name) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8'))
    .join('\n')
  const actions = Object.keys(world.smv2.engine.direct ?? {})
  expect(actions.length).toBeGreaterThan(30)
  expect(actions.filter((name) => !new RegExp(`'${name}'|\\bdirect\\??[.]${name}\\b`).test(tests))).toEqual([])
})

test('profile() returns a person’s about text, and whether they are a business', async () => {
  expect(await act('profile')(shop, ANA)).toMatchObject({ number: ANA, about: 'At the market ☕', isBusiness: false })
  expect(await act('profile')(shop, BAKERY)).toMatchObject({ about: null, isBusiness: true })
})

test('avatar() returns a picture, or null if there is none or it is hidden', async () => {
  expect(await act('avatar')(shop, ANA)).toBe(PICTURE)
  expect(await act('avatar')(shop, BAKERY)).toBeNull()
  expect(await act('avatar')(shop, BEN)).toBeNull()
})

test('groups() returns the groups of the number, without one that it left', async () => {
  const garden = world.whatsapp.group('Garden', [OURS, ANA])
  const market = world.whatsapp.group('Market', [BEN, OURS])
  world.whatsapp.group('Of others', [BEN, CLEO])
  const listed = async () => (await act('groups')(shop)).map(({ name }) => name).toSorted()
  expect(await listed()).toEqual(['Garden', 'Market'])
  await act('leaveGroup')(shop, `${market.id}@g.us`)
  expect(await listed()).toEqual(['Garden'])
  expect(market.members).toEqual([BEN])
  expect(garden.members).toEqual([OURS, ANA])
})
