import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DirectActs } from '../../../main/engines/direct.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { bytesIn, child, children } from '../../support/whatsapp/stanza.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550250'
const ANA = '12025551501'
const BEN = '12025551502'
const CLEO = '12025551503'

let world: LineWorld
let shop: EngineInstance

beforeAll(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
})
afterAll(() => world.close())

const act = <K extends keyof DirectActs>(name: K): DirectActs[K] => {
  const found = world.smv2.engine.direct?.[name]
  if (!found) throw new Error(`smv2 cannot ${name}`)
  return found
}
const asked = (tag: string) =>
  world.whatsapp
    .phone(OURS)
    .device.heard.flatMap((node) => child(node, tag) ?? [])
    .at(-1)
const named = (number: string) => ({
  jid: `${world.whatsapp.phone(number).lid}@lid`,
  phone_number: `${number}@s.whatsapp.net`,
})

test('a group is created with all of its settings, and its members have a hidden id and a number', async () => {
  const ana = world.whatsapp.phone(ANA)
  ana.trust(OURS)
  await until('the token', () => world.keys(shop, 'tctoken')[named(ANA).jid] !== undefined)
  world.whatsapp.phone(CLEO, { shows: 'number_only' })
  const { group, results } = await act('createGroup')(shop, 'Garden', [ANA, CLEO, '12025550404'])
  expect(group).toMatchObject({
    name: 'Garden',
    members: [{ number: OURS, isAdmin: true }, { number: ANA }, { number: CLEO }],
  })
  expect(results.map(({ reason }) => reason)).toEqual([null, null, 'not_on_whatsapp'])
  const members = children(asked('create'), 'participant')
  expect(members.map(({ attrs }) => attrs)).toEqual([named(ANA), { jid: `${CLEO}@s.whatsapp.net` }])
  expect(members.map((member) => bytesIn(child(member, 'privacy')).toString())).toEqual([`token of ${ANA}`, ''])

  expect(await act('changeMembers')(shop, group.id, 'add', [BEN, '12025550404'])).toEqual([
    { number: BEN, reason: null },
    { number: '12025550404', reason: 'not_on_whatsapp' },
  ])
  expect(children(asked('add'), 'participant').map(({ attrs }) => attrs)).toEqual([named(BEN)])
  await act('changeMembers')(shop, group.id, 'remove', [ANA])
  expect((await act('group')(shop, group.id)).members.map(({ number }) => number)).toEqual([OURS, CLEO, BEN])
})
