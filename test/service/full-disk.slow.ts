import { closeSync, mkdirSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { noSmallDisk, smallDisk } from '../faults/small-disk.ts'
import { commandHere } from '../support/command.ts'
import { placeEmptyDatabase } from '../support/database.ts'
import { memoryVault } from '../support/vault.ts'
import { world, type World } from '../support/world.ts'

const MB = 1_000_000
const RESERVE = 24 * MB
const CHUNK = 256 * 1024
const FULL = 'The disk of the service is full, so nothing was stored. Free some space, then repeat the call.\n'

const vault = memoryVault()
let home = ''
let ballast = ''

beforeEach(async ({ skip }) => {
  if (noSmallDisk !== undefined) return skip(noSmallDisk)
  const disk = smallDisk(96)
  onTestFinished(disk.remove)
  home = join(disk.dir, 'home')
  ballast = join(disk.dir, 'ballast')
  mkdirSync(home)
  await placeEmptyDatabase(join(home, 'switchboard.db'))
})

/** Takes the last byte of the disk. */
function fill(): void {
  const file = openSync(ballast, 'a')
  for (let size = CHUNK; size >= 1;) {
    try {
      writeSync(file, Buffer.alloc(size, 1))
    } catch {
      size = Math.floor(size / 2)
    }
  }
  closeSync(file)
  expect(free()).toBe(0)
}

const free = () => {
  const { bavail, bsize } = statfsSync(home)
  return bavail * bsize
}
const reserve = () => statSync(join(home, 'reserve.bin'), { throwIfNoEntry: false })?.size ?? 0

/** @param seed another one for each start in a home. */
async function start(reserveBytes = 0, seed = 1): Promise<World> {
  const settings = { reserveMb: reserveBytes / MB, warnBelowMb: 0, refuseBelowMb: 0 }
  const w = await world({ home, vault, seed, settings, freeBytes: free, soundAtEnd: false })
  onTestFinished(() => w.close())
  return w
}

async function startWithReserve(): Promise<World> {
  const w = await start(RESERVE)
  await expect.poll(async () => (await w.clock.advance(5_000), reserve()), { interval: 100 }).toBe(RESERVE)
  return w
}

const command = (...args: string[]) =>
  commandHere([...args, '--home', home], { PATH: process.env['PATH'], SWITCHBOARD_VAULT: 'file' })

describe('while the service runs on a full disk', () => {
  test('keys can be revoked in the room of the reserve', async () => {
    const w = await startWithReserve()
    const { id, key } = await w.key()
    fill()
    expect(await command('keys', 'revoke', id)).toMatchObject({ code: 0, err: '' })
    expect((await w.api('GET', '/v1/me', undefined, { key })).status).toBe(401)
    expect(reserve()).toBe(0)
  })

  test('a restore can be requested in the room of the reserve', async () => {
    const w = await startWithReserve()
    expect((await command('backup')).code).toBe(0)
    fill()
    expect(await command('restore', 'latest', '--yes')).toMatchObject({ code: 0, err: '' })
    expect((await command('restore')).out).toMatch(/ manual /)
    await w.close()
  })

  test('commands that find no room say that the disk is full', async () => {
    const w = await start()
    const { id } = await w.key()
    expect((await command('backup')).code).toBe(0)
    for (const line of ['keys create --name One', 'backup', 'restore latest --yes']) {
      fill()
      expect(await command(...line.split(' ')), line).toMatchObject({ code: 1, out: '', err: FULL })
    }
    rmSync(ballast)
    expect(await command('keys', 'revoke', id)).toMatchObject({ code: 0 })
  })
})

describe('after the service stopped', () => {
  test('it starts on a full disk in the room of the reserve', async () => {
    await (await startWithReserve()).close()
    expect(reserve()).toBe(RESERVE)
    fill()
    const w = await start(0, 2)
    expect((await w.api('GET', '/v1/me')).status).toBe(200)
    expect(reserve()).toBe(0)
  })

  test('commands work on a full disk in the room of the reserve', async () => {
    const w = await startWithReserve()
    const { id } = await w.key()
    await w.close()
    fill()
    const { out } = await command('doctor', '--offline')
    expect(out).toMatch(/✗ disk +Only 0 bytes free/)
    expect(out).toMatch(/! database .*was not checked, because the disk is full|✓ database/)
    expect(reserve()).toBe(RESERVE)
    expect(await command('keys', 'revoke', id)).toMatchObject({ code: 0, err: '' })
    expect(await command('backup')).toMatchObject({ code: 0 })
    expect(await command('restore', 'latest', '--yes')).toMatchObject({ code: 0, err: '' })
  })

  test('without a reserve, what cannot start says how much space to free on this disk', async () => {
    const w = await start()
    const { id } = await w.key()
    await w.close()
    fill()
    const sentence = `The disk of the home folder ${home} is full. Nothing is lost. Free at least 200 MB on that disk, then try again.`
    expect(await command('serve', '--port', '0')).toMatchObject({ code: 1, out: '', err: `${sentence}\n` })
    expect(await command('keys', 'revoke', id)).toMatchObject({ code: 1, out: '', err: `${sentence}\n` })
    rmSync(ballast)
    expect(await command('keys', 'revoke', id)).toMatchObject({ code: 0 })
  })
})
