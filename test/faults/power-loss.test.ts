import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../support/database.ts'
import { openLandings } from './landing.ts'
import { cutPower } from './power/copies.ts'
import { createDisk, NOTHING_ARRIVES, type Arrival } from './power/disk.ts'
import { recordService } from './power/recording.ts'
import { readRecorded, type Change, type Recorded } from './power/strace-log.ts'
import { straceProblem } from './strace.ts'

const FOLDER = '/home/x'
const DATABASE = '/home/x/switchboard.db'
const LOG = '/home/x/switchboard.db-wal'

let dir: string

beforeEach(() => {
  dir = tempFolder()
})
afterEach(() => rmSync(dir, { recursive: true }))

const inHex = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')

async function readLines(...lines: string[]): Promise<Recorded[]> {
  const file = join(dir, 'strace.log')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const recorded: Recorded[] = []
  for await (const one of readRecorded(file)) recorded.push(one)
  return recorded
}

test('C-04 reads system calls in order of completion, without failed ones', async () => {
  const database = `23<${inHex(DATABASE)}>`
  const log = `24<${inHex(LOG)}>`
  const recorded = await readLines(
    `7  10.5 openat(AT_FDCWD<${inHex('/work')}>, "${inHex(LOG)}", O_RDWR|O_CREAT|O_CLOEXEC, 0644) = 24<${inHex(LOG)}>`,
    `7  11.25 pwrite64(${log}, "${inHex('a "b" |')}", 7, 8192) = 7`,
    `7  12 pwrite64(${log}, "${inHex('torn')}", 4, 40) = 2`,
    `7  13 pwrite64(${log}, "${inHex('none')}", 4, 40) = -1 ENOSPC (No space left on device)`,
    `7  14 fdatasync(${log} <unfinished ...>`,
    `8  15 pwrite64(${database}, "${inHex('xy')}", 2, 16 <unfinished ...>`,
    `7  16 <... fdatasync resumed>)            = 0`,
    `8  17 <... pwrite64 resumed>)             = 2`,
    `7  18 ftruncate(${database}, 12) = 0`,
    `7  19 unlink("${inHex(LOG)}") = 0`,
    `7  20 fsync(25<${inHex(FOLDER)}>) = 0`,
  )
  expect(recorded.map(({ file, atMs, change }) => [atMs, file, change])).toEqual([
    [10_500, LOG, { kind: 'open', creates: true }],
    [11_250, LOG, { kind: 'write', at: 8_192, bytes: Buffer.from('a "b" |') }],
    [12_000, LOG, { kind: 'write', at: 40, bytes: Buffer.from('to') }],
    [16_000, LOG, { kind: 'sync' }],
    [17_000, DATABASE, { kind: 'write', at: 16, bytes: Buffer.from('xy') }],
    [18_000, DATABASE, { kind: 'truncate', size: 12 }],
    [19_000, LOG, { kind: 'remove' }],
    [20_000, FOLDER, { kind: 'sync' }],
  ])
})

test('C-04 stops at an unknown system call', async () => {
  const line = `7  10.5 rename("${inHex(DATABASE)}", "${inHex(LOG)}") = 0`
  await expect(readLines(line)).rejects.toThrow('A call that is not understood: rename(')
})

function diskWith(content: string, ...changes: (Change | 'sync of the folder')[]) {
  const disk = createDisk(FOLDER, { [DATABASE]: Buffer.from(content), [LOG]: null })
  for (const change of changes) {
    const isOfFolder = change === 'sync of the folder'
    disk.note({ file: isOfFolder ? FOLDER : DATABASE, atMs: 0, change: isOfFolder ? { kind: 'sync' } : change })
  }
  return (arrival: Arrival) => disk.image(DATABASE, arrival)?.toString().replaceAll('\0', '.') ?? null
}

const write = (at: number, text: string): Change => ({ kind: 'write', at, bytes: Buffer.from(text) })
const all: Arrival = { sectorBytes: 4, of: (_sector, changes) => changes }
/** So many of the changes have reached each of these sectors; the file is as long as after the last. */
const each = (...arrived: number[]): Arrival => ({
  sectorBytes: 4,
  of: (sector, changes) => (typeof sector === 'number' ? (arrived[sector] ?? 0) : changes),
})

test('C-04 keeps any set of sectors of unsynced writes', () => {
  const changes = [write(2, 'AAAA'), { kind: 'sync' } as const, write(0, 'BBBBBBBB'), write(6, 'CCCC')]
  const image = diskWith('01234567', ...changes)
  expect(image(NOTHING_ARRIVES)).toBe('01AAAA67')
  expect(image(all)).toBe('BBBBBBCCCC')
  // The second sector never has the later write without the earlier one.
  expect([image(each(0, 1, 2)), image(each(1, 0, 0)), image(each(0, 2, 0))]).toEqual([
    ...['01AABBBBCC', 'BBBBAA67..', '01AABBCC..'],
  ])
  expect(image({ ...NOTHING_ARRIVES, sectorBytes: 4 })).toBe('01AAAA67')
})

test('C-04 keeps the end of a truncated file until it is synced', () => {
  const image = diskWith('01234567', { kind: 'truncate', size: 3 }, write(3, 'X'))
  expect([image(NOTHING_ARRIVES), image(all)]).toEqual(['01234567', '012X'])
  const synced = diskWith('01234567', { kind: 'truncate', size: 3 }, { kind: 'sync' }, write(6, 'X'))
  expect([synced(NOTHING_ARRIVES), synced(all)]).toEqual(['012', '012...X'])
})

test('C-04 a rename is certain once its folder was synced', () => {
  const removed = diskWith('0123', { kind: 'remove' })
  expect([removed(NOTHING_ARRIVES), removed(all)]).toEqual(['0123', null])
  const synced = diskWith('0123', { kind: 'remove' }, 'sync of the folder')
  expect([synced(NOTHING_ARRIVES), synced(all)]).toEqual([null, null])
  const anew = diskWith('0123', { kind: 'remove' }, { kind: 'open', creates: true }, 'sync of the folder')
  expect([anew(NOTHING_ARRIVES), anew(all)]).toEqual(['', ''])
})

test('C-04 a few sends survive a power loss at eight moments', async ({ skip }) => {
  const problem = straceProblem()
  if (problem !== undefined) return skip(problem)
  const landings = await openLandings()
  onTestFinished(() => landings.close())
  const landing = landings.open('power')
  const recording = await recordService(landing, 30)
  onTestFinished(() => recording.remove())
  const { opened } = await cutPower(recording, landing.seen, 8)
  expect(Object.values(opened)).toEqual([2, 2, 2, 2])
})
