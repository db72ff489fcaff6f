import { Curve } from 'baileys'
import { afterEach, expect, test } from 'vitest'
import type { LogFields } from '../../../main/kernel/log.ts'
import { createLoadLibrary } from '../../../main/engines/smv2/library.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { patientClock } from '../../support/clock.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

// @isolated: as it is shipped, before another file of the same process has patched it.
const shipped = Curve.verify

let world: LineWorld | undefined
afterEach(() => world?.close())

test('the library as it comes takes any signature; as it is loaded here only the right one', async () => {
  const { public: key, private: secret } = Curve.generateKeyPair()
  const message = Buffer.from('a certificate')
  const signature = Curve.sign(secret, message)
  const forged = Buffer.alloc(64, 1)
  // When this fails the library has mended itself, and `load` in library.ts has nothing left to do.
  expect(shipped(key, message, forged)).toBe(true)
  const library = await createLoadLibrary({ log: silentLog, clock: patientClock })()
  expect(library.Curve.verify(key, message, signature)).toBe(true)
  expect(library.Curve.verify(key, message, forged)).toBe(false)
  expect(library.Curve.verify(key, Buffer.from('another'), signature)).toBe(false)
  expect(library.Curve.verify(Curve.generateKeyPair().public, message, signature)).toBe(false)
  expect(library.Curve.verify(key, message, Buffer.alloc(3))).toBe(false)
  // As a message of the network that leaves the field out.
  expect(library.Curve.verify(key, message, null as never)).toBe(false)
})

test.each([
  ['whose certificate leads to another root', { kind: 'foreign_root' }, 400],
  ['that has another key than its certificate says', { kind: 'foreign_key' }, 400],
  ['whose certificate names another issuer', { kind: 'foreign_issuer' }, 400],
  ['whose certificate has expired', { kind: 'out_of_date', which: 'leaf', when: 'past' }, 495],
  ['whose certificate is not valid yet', { kind: 'out_of_date', which: 'leaf', when: 'future' }, 495],
  ['whose issuer has expired', { kind: 'out_of_date', which: 'intermediate', when: 'past' }, 495],
  ['whose issuer is not valid yet', { kind: 'out_of_date', which: 'intermediate', when: 'future' }, 495],
] as const)('a network %s is not spoken to', async (_, fault, expected) => {
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

test('a linked number says why it does not connect, and connects once the certificate is valid', async () => {
  world = await lineWorld()
  const shop = await world.connect('12025550230')
  world.whatsapp.faults.onArrival({ kind: 'out_of_date', which: 'leaf', when: 'past' })
  world.whatsapp.phone('12025550230').device.end('dropped')
  await world.heard(shop, 'link_lost', ({ reason }) => reason === 'certificate_dates')
  world.whatsapp.faults.onArrival(null)
  await world.heard(shop, 'connected')
})
