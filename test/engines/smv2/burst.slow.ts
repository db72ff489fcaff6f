import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../../support/service-process.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550200'

let world: LineWorld
let shop: EngineInstance

beforeEach(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
})
afterEach(() => world.close())

test.each(['lid', 'pn'] as const)(
  'simultaneous messages of several people in a group are reported in the order they came, members named by %s',
  async (addressing) => {
    const people = ['12025550101', '12025550102', '12025550103'].map((number) => world.whatsapp.phone(number))
    const { id } = world.whatsapp.group('Garden', [OURS, ...people.map(({ number }) => number)], addressing)
    const said: string[] = []
    for (let round = 0; round < 4; round++)
      for (const person of people) {
        said.push(`${person.number} ${round}`)
        await person.say(id, `${person.number} ${round}`)
      }
    await until('all of it', () => world.of(shop, 'received').length === said.length)
    expect(world.of(shop, 'received').map(({ text }) => text)).toEqual(said)
  },
)
