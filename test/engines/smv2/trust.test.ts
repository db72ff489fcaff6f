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

test('the unpatched library accepts any signature, and as loaded here it accepts only valid ones', async () => {
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

test('no connection is made to a network with a certificate from another root', async () => {
  const told: LogFields[] = []
  const note = (fields: LogFields) => void told.push(fields)
  world = await lineWorld({ log: { debug: note, info: note, warn: note, error: note } })
  world.whatsapp.faults.onArrival({ kind: 'foreign_root' })
  const shop = world.instance()
  await world.smv2.engine.start(shop)
  await until('refused', () => told.some(({ event, code }) => event === 'smv2.link_closed' && code === 400))
  expect((await world.smv2.engine.pairing?.current(shop))?.text).toBeNull()
  expect(world.told(shop)).toEqual([])
  world.whatsapp.faults.onArrival(null)
  await world.qr(shop)
})
