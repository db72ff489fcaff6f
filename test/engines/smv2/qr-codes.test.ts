import { beforeEach, expect, test } from 'vitest'
import { createAlarms } from '../../../main/engines/alarms.ts'
import { createQrCodes, type QrCodes } from '../../../main/engines/smv2/qr-codes.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'

let time: FakeClock
let codes: QrCodes
let shown: [ref: string, endsAfterSeconds: number][]
let usedUp: number

beforeEach(() => {
  time = fakeClock()
  shown = []
  usedUp = 0
  const startMs = time.now()
  codes = createQrCodes({
    ...{ clock: time, alarms: createAlarms(time), id: 'shop' as InstanceId },
    show: (ref, expiresAt) => shown.push([ref, (expiresAt.atMs - startMs) / 1_000]),
    usedUp: () => usedUp++,
  })
})

test('a refreshed QR code uses up no ref and keeps its expiry', async () => {
  codes.offer(['a', 'b'])
  await time.advance(59_000)
  codes.redraw()
  codes.redraw()
  await time.advance(1_000)
  await time.advance(19_000)
  expect([shown, usedUp]).toEqual([
    [
      ['a', 60],
      ['a', 60],
      ['a', 60],
      ['b', 80],
    ],
    0,
  ])
  await time.advance(1_000)
  expect([usedUp, time.waiting()]).toEqual([1, 0])
})

test('no QR code is refreshed before the first one, after the last one, or after a stop', async () => {
  codes.redraw()
  codes.offer(['a'])
  await time.advance(60_000)
  codes.redraw()
  codes.offer(['b', 'c'])
  codes.stop()
  codes.redraw()
  await time.advance(600_000)
  expect([shown.map(([ref]) => ref), usedUp, time.waiting()]).toEqual([['a', 'b'], 1, 0])
})

test('new refs replace the remaining ones', async () => {
  codes.offer(['a', 'b'])
  await time.advance(30_000)
  codes.offer(['c'])
  await time.advance(59_000)
  expect([shown, usedUp]).toEqual([
    [
      ['a', 60],
      ['c', 90],
    ],
    0,
  ])
})

test('an empty list of refs ends the pairing immediately', () => {
  codes.offer([])
  expect([shown, usedUp]).toEqual([[], 1])
})
