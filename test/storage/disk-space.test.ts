import { existsSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { systemRandom } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { createReserve } from '../../main/storage/reserve.ts'
import { createDiskSpaceMonitor, type DiskSpaceMonitor } from '../../main/storage/disk-space.ts'
import { noSmallDisk, smallDisk } from '../faults/small-disk.ts'
import { fakeClock, settle, type FakeClock } from '../support/clock.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'

const MB = 1_000_000
const RESERVE = 3 * MB
const PATIENCE = { timeout: 60_000 }

let home: TestDatabase
let clock: FakeClock
let space: DiskSpaceMonitor
let free = 0
let filling: Promise<void> | undefined
const prune = vi.fn()
const onChange = vi.fn()

beforeEach(async () => {
  vi.clearAllMocks()
  free = 10_000 * MB
  clock = fakeClock()
  home = await testDatabase()
  const kept = createReserve(home.dir, systemRandom)
  space = createDiskSpaceMonitor({
    ...{ home: home.dir, db: home.db, clock, log: silentLog, prune, onChange },
    limits: { reserveBytes: RESERVE, warnBytes: 500 * MB, refuseBytes: 200 * MB },
    reserve: { ...kept, fill: (bytes) => (filling = kept.fill(bytes)) },
    freeBytes: async () => free,
  })
})

afterEach(async () => {
  await space.close()
  await home.close()
})

const reserve = () => join(home.dir, 'reserve.bin')

/** Passes time until the next look, and waits for what it writes. */
async function look(): Promise<void> {
  await clock.advance(5_000)
  await filling?.catch(() => {})
  await settle()
}

const states = async (...megabytes: number[]) => {
  const seen: string[] = []
  for (const now of megabytes) {
    free = now * MB
    await look()
    seen.push(space.state())
  }
  return seen
}

test('disk space is ample, low or full by two thresholds, and recovers only past a margin', async () => {
  space.start()
  expect(await states(10_000, 499, 201, 199, 201, 219, 221, 500)).toEqual([
    ...['ample', 'low', 'low', 'full', 'full', 'full', 'low', 'ample'],
  ])
  expect(onChange).toHaveBeenCalledTimes(4)
})

test('the message to the user names the free space, the threshold and the consequence', async () => {
  space.start()
  await states(10_000)
  expect(space.problem()).toBeNull()
  await states(321)
  expect(space.problem()).toBe(
    'The disk is nearly full (321 MB free). Below 200 MB, new work is refused. Free some space.',
  )
  await states(12)
  expect(space.problem()).toBe(
    'The disk is full (12 MB free). New work is refused and webhooks wait without using up attempts. ' +
      'Free some space and Switchboard resumes automatically.',
  )
})

test('the reserve is written in full once all numbers are connected, released when the disk is full, and written again later', async () => {
  space.start()
  await look()
  expect(existsSync(reserve())).toBe(false)
  await vi.waitFor(async () => {
    await look()
    expect(statSync(reserve()).size).toBe(RESERVE)
  }, PATIENCE)
  // Written, not promised: a file with holes would give nothing back.
  expect(statSync(reserve()).blocks * 512).toBeGreaterThanOrEqual(RESERVE)

  space.reportFull()
  expect([space.state(), existsSync(reserve()), prune.mock.calls.length]).toEqual(['full', false, 1])

  // Room enough to go on, but not to keep some aside.
  expect(await states(222)).toEqual(['low'])
  expect(existsSync(reserve())).toBe(false)
  free = 600 * MB
  await vi.waitFor(async () => {
    await look()
    expect(statSync(reserve()).size).toBe(RESERVE)
  }, PATIENCE)
})

test('after a quota error that free space does not show, the disk stays full until a write succeeds', async () => {
  space.start()
  await look()
  const pages = Number(home.raw.pragma('page_count', { simple: true }))
  await home.db.commit((tx) => tx.all({ text: `PRAGMA max_page_count = ${pages}` }, {}))
  space.reportFull()
  expect(await states(10_000, 10_000)).toEqual(['full', 'full'])

  await home.db.commit((tx) => tx.all({ text: 'PRAGMA max_page_count = 1000000' }, {}))
  expect(await states(10_000)).toEqual(['ample'])
  expect(home.raw.prepare("SELECT value FROM meta WHERE name = 'room_probe'").pluck().get()).toBe('')
})

test('while the disk stays full, old data is searched for once a minute, not at every check', async () => {
  space.start()
  free = 0
  for (let i = 0; i < 24; i++) await look()
  expect(prune).toHaveBeenCalledTimes(2)
})

test('a reserve that does not fit on the disk leaves no file behind', async () => {
  const nowhere = createReserve(join(home.dir, 'missing'), systemRandom)
  await expect(nowhere.fill(RESERVE)).rejects.toThrow('ENOENT')
  expect([nowhere.bytes(), nowhere.release()]).toEqual([0, false])
  rmSync(reserve(), { force: true })
})

test.skipIf(noSmallDisk !== undefined)(
  'a reserve that is released while it is written is freed immediately',
  async () => {
    const disk = smallDisk(64)
    onTestFinished(disk.remove)
    const free = () => statfsSync(disk.dir).bavail * statfsSync(disk.dir).bsize
    const before = free()
    const kept = createReserve(disk.dir, systemRandom)
    const done = kept.fill(48 * MB)
    await vi.waitFor(() => expect(kept.bytes()).toBeGreaterThan(4 * MB), { timeout: 60_000, interval: 1 })

    expect([kept.release(), kept.bytes()]).toEqual([true, 0])
    // One chunk may be on its way.
    expect(before - free()).toBeLessThan(2 * MB)
    await done
    expect([free(), existsSync(join(disk.dir, 'reserve.bin'))]).toEqual([before, false])

    await kept.fill(8 * MB)
    expect(kept.bytes()).toBe(8 * MB)
  },
)
