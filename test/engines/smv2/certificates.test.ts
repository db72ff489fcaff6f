import { afterEach, expect, test } from 'vitest'
import type { LogFields } from '../../../main/kernel/log.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

// The second stand-in has no certificates of these kinds.
let world: LineWorld | undefined
afterEach(() => world?.close())

test.each([
  ['that has another key than its certificate says', { kind: 'foreign_key' }, 400],
  ['whose certificate names another issuer', { kind: 'foreign_issuer' }, 400],
  ['whose certificate has expired', { kind: 'out_of_date', which: 'leaf', when: 'past' }, 495],
  ['whose certificate is not valid yet', { kind: 'out_of_date', which: 'leaf', when: 'future' }, 495],
  ['whose issuer has expired', { kind: 'out_of_date', which: 'intermediate', when: 'past' }, 495],
  ['whose issuer is not valid yet', { kind: 'out_of_date', which: 'intermediate', when: 'future' }, 495],
] as const)('no connection is made to a network %s', async (_, fault, expected) => {
  const told: LogFields[] = []
  const note = (fields: LogFields) => void told.push(fields)
  world = await lineWorld({ log: { debug: note, info: note, warn: note, error: note } })
  world.whatsapp.faults.onArrival(fault)
  const shop = world.instance()
  await world.smv2.engine.start(shop)
  await until('refused', () => told.some(({ event, code }) => event === 'smv2.link_closed' && code === expected))
  expect((await world.smv2.engine.pairing?.current(shop))?.text).toBeNull()
  expect(world.told(shop)).toEqual([])
  world.whatsapp.faults.onArrival(null)
  await world.qr(shop)
})

test('a linked number reports certificate_dates while it cannot connect, and connects once the certificate is valid', async () => {
  world = await lineWorld()
  const shop = await world.connect('12025550230')
  world.whatsapp.faults.onArrival({ kind: 'out_of_date', which: 'leaf', when: 'past' })
  world.whatsapp.phone('12025550230').device.end('dropped')
  await world.heard(shop, 'link_lost', ({ reason }) => reason === 'certificate_dates')
  world.whatsapp.faults.onArrival(null)
  await world.heard(shop, 'connected')
})
