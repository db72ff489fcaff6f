import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { child } from '../../support/whatsapp/stanza.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550200'
const ANA = '12025550101'
const BEN = '12025550102'

let world: LineWorld
beforeEach(async () => {
  world = await lineWorld()
})
afterEach(() => world.close())

const shopPhone = () => world.whatsapp.phone(OURS)
const shown = () => {
  const last = shopPhone().device.heard.findLast(({ tag, attrs }) => tag === 'message' && attrs['category'] !== 'peer')
  return ['tctoken', 'cstoken'].filter((tag) => child(last, tag) !== undefined)
}
const salt = (shop: EngineInstance) => world.keys(shop, 'nct-salt')['salt']
const send = async (shop: EngineInstance, to: string) => (await world.send(shop, { to })).outcome
const REFUSED = { kind: 'refused', error: { code: 'reachout_restricted' } }

test('a message to a stranger contains a token made with the salt from the history, also after a restart', async () => {
  shopPhone().appState.saltNewChats(true)
  const shop = await world.connect(OURS)
  await until('the salt', () => salt(shop) !== undefined)
  expect(await send(shop, ANA)).toMatchObject({ kind: 'accepted' })
  expect(shown()).toEqual(['cstoken'])
  await world.restart(shop)
  expect(await send(shop, BEN)).toMatchObject({ kind: 'accepted' })
})

test('a later salt from the phone is used, replaced and removed', async () => {
  const shop = await world.connect(OURS)
  expect(await send(shop, ANA)).toMatchObject({ kind: 'accepted' })
  expect(shown()).toEqual([])
  const { appState } = shopPhone()
  for (let times = 0; times < 2; times++) {
    const before = String(salt(shop))
    appState.saltNewChats(true)
    await until('the salt', () => String(salt(shop)) !== before)
    expect(await send(shop, ANA)).toMatchObject({ kind: 'accepted' })
    expect(shown()).toEqual(['cstoken'])
  }
  appState.saltNewChats(false)
  await until('no salt', () => salt(shop) === undefined)
  expect(await send(shop, ANA)).toMatchObject({ kind: 'accepted' })
  expect(shown()).toEqual([])
})

test('a message to a person who has given a trust token contains that token', async () => {
  shopPhone().appState.saltNewChats(true)
  const shop = await world.connect(OURS)
  await until('the salt', () => salt(shop) !== undefined)
  const ana = world.whatsapp.phone(ANA)
  ana.trust(OURS)
  await until('the token', () => world.keys(shop, 'tctoken')[`${ana.lid}@lid`] !== undefined)
  expect(await send(shop, ANA)).toMatchObject({ kind: 'accepted' })
  expect(shown()).toEqual(['tctoken'])
})

test('a request for the about text contains the trust token of the person, and none for strangers', async () => {
  const shop = await world.connect(OURS)
  const ana = world.whatsapp.phone(ANA, { about: 'At the market', aboutFor: 'trusted' })
  world.whatsapp.phone(BEN, { about: 'Busy' })
  const profile = async (number: string) => (await world.smv2.engine.direct?.profile?.(shop, number))?.about
  expect(await profile(ANA)).toBeNull()
  ana.trust(OURS)
  await until('the token', () => world.keys(shop, 'tctoken')[`${ana.lid}@lid`] !== undefined)
  expect(await profile(ANA)).toBe('At the market')
  expect(await profile(BEN)).toBe('Busy')
  await world.restart(shop)
  await world.heard(shop, 'connected')
  expect(await profile(ANA)).toBe('At the market')
})

test('the network refuses first messages without a token', async () => {
  const shop = await world.connect(OURS)
  shopPhone().appState.withholdKeys()
  shopPhone().appState.renewKey()
  shopPhone().appState.saltNewChats(true)
  expect(await send(shop, ANA)).toMatchObject(REFUSED)
})
