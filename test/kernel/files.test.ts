import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { dueIn } from '../../main/kernel/due.ts'
import type { ByteRange, FileContent } from '../../main/kernel/file-content.ts'
import { createFiles, type Files, type NewFile, type StoredFile } from '../../main/kernel/files.ts'
import { createIds, type AccountId } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'
import { noSmallDisk, smallDisk } from '../faults/small-disk.ts'
import { startChild } from '../support/child.ts'
import { fakeClock, settle, type FakeClock } from '../support/clock.ts'
import { openTestStorage, testDatabase, type TestDatabase } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'

const ACCOUNT = '0197f0c2-0000-7c51-9d2b-000000000001' as AccountId
const OTHER = '0197f0c2-0000-7c51-9d2b-000000000002' as AccountId
const DAY = 86_400_000

let clock: FakeClock
let data: TestDatabase
let folder: string
let files: Files
beforeEach(async () => {
  clock = fakeClock()
  data = await testDatabase(undefined, { clock })
  folder = join(data.dir, 'files')
  files = open(folder)
})
afterEach(() => data.close())

const open = (at: string, seed = 1) =>
  createFiles({ db: data.db, clock, ids: createIds(clock, seededRandom(seed)), folder: at })

const about: NewFile = {
  ...{ accountId: ACCOUNT, kind: 'test', name: 'list.csv', mimeType: 'text/csv' },
  ...{ expiresAt: null, maxBytes: 1_000_000 },
}

async function* chunks(...parts: (string | Buffer)[]) {
  for (const part of parts) yield Buffer.from(part)
}

/** Every file below the folder, by name. */
const onDisk = (at = folder): string[] => {
  try {
    return readdirSync(at, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .toSorted()
  } catch {
    return []
  }
}
const rows = () => data.raw.prepare('SELECT id, size, hash FROM files').all() as { id: string; size: number }[]

async function runChores(which = files): Promise<void> {
  for (const { begin } of which.chores) {
    const step = begin()
    while (await step());
  }
}

const textOf = async (file: FileContent | undefined, range?: ByteRange) =>
  file && (await buffer(await file.read(range))).toString()

const keyOf = ({ id }: StoredFile, more = {}) => ({ accountId: ACCOUNT, kind: 'test', id, ...more })

describe('a stored file', () => {
  test('returns its size, its hash and its bytes, whole or in part', async () => {
    const stored = await files.store(chunks('to,name\n', '', '12025550123,Ana\n'), about)
    const text = 'to,name\n12025550123,Ana\n'
    const { maxBytes: _, expiresAt: expiresAtMs, ...rest } = about
    expect(stored).toEqual({
      ...{
        ...rest,
        expiresAtMs,
        id: expect.stringMatching(/^fil_[0-9A-Z]{26}$/),
        size: text.length,
        createdAtMs: clock.now(),
      },
      hash: createHash('sha256').update(text).digest('hex'),
    })
    const found = await files.find(keyOf(stored))
    expect(found).toMatchObject(stored)
    expect(await textOf(found)).toBe(text)
    expect(await textOf(found, { first: 3, last: 6 })).toBe('name')
    expect(onDisk()).toEqual([stored.id])
    expect(statSync(join(folder, stored.id.slice(-1), stored.id)).mode & 0o077).toBe(0)
  })

  test('may be empty', async () => {
    const found = await files.find(keyOf(await files.store(chunks(), about)))
    expect([found?.size, await textOf(found)]).toEqual([0, ''])
  })

  test('is not found for another account or kind, or under a path', async () => {
    const stored = await files.store(chunks('a'), about)
    expect(await files.find(keyOf(stored, { accountId: OTHER }))).toBeUndefined()
    expect(await files.find(keyOf(stored, { kind: 'other' }))).toBeUndefined()
    for (const id of ['', '..', '../../switchboard.db', `${stored.id}/..`, 'fil_0'])
      expect(await files.find(keyOf(stored, { id }))).toBeUndefined()
  })

  test('exists in the same commit as the rows that refer to it, or not at all', async () => {
    let seen: unknown
    const stored = await files.store(chunks('a'), about, async (_tx, file) => void (seen = file))
    expect(seen).toEqual(stored)
    await expect(
      files.store(chunks('b'), about, async () => {
        throw new Error('the room refuses it')
      }),
    ).rejects.toThrow('the room refuses it')
    expect([onDisk(), rows().map(({ id }) => id)]).toEqual([[stored.id], [stored.id]])
  })

  test('is not served if it is missing on disk or truncated', async () => {
    const stored = await files.store(chunks('abc'), about)
    const found = await files.find(keyOf(stored))
    writeFileSync(join(folder, stored.id.slice(-1), stored.id), 'ab')
    await expect(found?.read()).rejects.toMatchObject({ code: 'not_found' })
    const missing = await files.store(chunks('def'), about)
    await data.db.commit((tx) => files.remove(tx, keyOf(missing)))
    await settle()
    expect(await files.find(keyOf(missing))).toBeUndefined()
  })
})

describe('does not store', () => {
  test('a file above the limit, not even a part', async () => {
    const exactly = Buffer.alloc(1_000_000)
    await files.store(chunks(exactly), about)
    const before = onDisk()
    let isRead = false
    async function* more() {
      yield exactly
      yield Buffer.from('x')
      isRead = true
      yield exactly
    }
    await expect(files.store(more(), about)).rejects.toMatchObject({ code: 'payload_too_large' })
    expect([onDisk(), rows().length, isRead]).toEqual([before, 1, false])
  })

  test('a file whose source fails', async () => {
    async function* broken() {
      yield Buffer.alloc(100_000)
      throw new Error('the client is gone')
    }
    await expect(files.store(broken(), about)).rejects.toThrow('the client is gone')
    expect([onDisk(), rows()]).toEqual([[], []])
  })

  test.skipIf(noSmallDisk !== undefined)('a file for which the disk has no room', async () => {
    const disk = smallDisk(1)
    onTestFinished(disk.remove)
    const small = open(join(disk.dir, 'files'))
    const large = Array.from({ length: 30 }, () => Buffer.alloc(100_000))
    await expect(small.store(chunks(...large), { ...about, maxBytes: 1e9 })).rejects.toMatchObject({ kind: 'full' })
    expect([onDisk(disk.dir), rows()]).toEqual([[], []])
    await small.store(chunks('there is room for this'), about)
    expect(rows()).toHaveLength(1)
  })
})

describe('a process that is killed', () => {
  const steps = ['while it is written', 'before it is synced', 'before its row is committed', 'after the commit']
  test.each(steps)('%s leaves nothing or a whole file', async (step) => {
    await data.db.close()
    const child = startChild(join(import.meta.dirname, 'files-child.ts'), data.dir, step)
    await child.ended()
    const ids = createIds(clock, seededRandom(2))
    const file = join(data.dir, 'switchboard.db')
    const reopened = await openTestStorage({ file, migrations: MIGRATIONS, ids, log: silentLog, clock })
    const after = createFiles({ db: reopened, clock, ids, folder })
    await after.recover()
    clock.set(Date.now() + 8 * DAY)
    await runChores(after)
    const isStored = step === 'after the commit'
    expect([onDisk().length, rows().length]).toEqual(isStored ? [1, 1] : [0, 0])
    for (const { id, size } of rows()) {
      const bytes = readFileSync(join(folder, id.slice(-1), id))
      expect([bytes.length, bytes.toString('latin1', 99_999, 100_001)]).toEqual([size, 'ab'])
    }
    await reopened.close()
  })
})

describe('a process that is killed while it adopts a file', () => {
  test.each([
    ['before its row is committed', 0],
    ['after the commit', 1],
  ])('%s leaves the file in its place until its row exists', async (step, count) => {
    const path = join(data.dir, 'call.ogg.part')
    writeFileSync(path, 'a recording')
    await data.db.close()
    const child = startChild(join(import.meta.dirname, 'files-child.ts'), data.dir, step, path)
    await child.ended()
    expect(rows()).toHaveLength(count)
    if (count === 0) expect(readFileSync(path, 'utf8')).toBe('a recording')
    for (const { id } of rows()) expect(readFileSync(join(folder, id.slice(-1), id), 'utf8')).toBe('a recording')
  })
})

test('adopting moves a file away from its place, unless its row cannot be written', async () => {
  const path = join(data.dir, 'call.ogg.part')
  writeFileSync(path, 'a recording')
  const fails = files.adopt(path, about, () => Promise.reject(new Error('no row')))
  await expect(fails).rejects.toThrow('no row')
  expect([readFileSync(path, 'utf8'), onDisk(), rows()]).toEqual(['a recording', [], []])

  const { id, size } = await files.adopt(path, about)
  expect([existsSync(path), size, onDisk(), rows().length]).toEqual([false, 11, [expect.stringContaining(id)], 1])
})

describe('retention', () => {
  test('deletes a file when it expires, and not before', async () => {
    const kept = await files.store(chunks('kept'), about)
    const short = await files.store(chunks('short'), { ...about, expiresAt: dueIn(clock, DAY) })
    await clock.advance(DAY - 1)
    await runChores()
    expect(await files.find(keyOf(short))).toBeDefined()
    await clock.advance(1)
    expect(await files.find(keyOf(short))).toBeUndefined()
    expect(onDisk()).toHaveLength(2)
    await runChores()
    expect([onDisk(), rows().map(({ id }) => id)]).toEqual([[kept.id], [kept.id]])
  })

  test('deletes the other files when one cannot be deleted, and reports that one', async () => {
    const expiring = { ...about, expiresAt: dueIn(clock, DAY) }
    const [stuck, other] = [await files.store(chunks('one'), expiring), await files.store(chunks('two'), expiring)]
    const path = join(folder, stuck.id.slice(-1), stuck.id)
    rmSync(path)
    mkdirSync(path)
    await clock.advance(DAY)
    const [expired] = files.chores
    await expect(expired?.begin()()).rejects.toThrow()
    expect([onDisk(), rows().map(({ id }) => id)]).toEqual([[], [stuck.id]])
    expect(other.id).not.toBe(stuck.id)

    // The next try works again.
    rmSync(path, { recursive: true })
    await runChores()
    expect(rows()).toEqual([])
  })

  test('starts although a partial file of an earlier process cannot be deleted', async () => {
    mkdirSync(join(folder, 'incoming', 'stuck.part'), { recursive: true })
    writeFileSync(join(folder, 'incoming', 'other.part'), 'half')
    await files.recover()
    expect(onDisk()).toEqual([])
  })

  test('deletes removed files, also when there are more than one step takes', async () => {
    const all: StoredFile[] = []
    for (let i = 0; i < 120; i++) all.push(await files.store(chunks(String(i)), about))
    const [first] = all
    await data.db.commit(async (tx) => {
      await files.remove(tx, keyOf(all[1] as StoredFile, { accountId: OTHER }))
      for (const file of all.slice(1)) if (file !== all[1]) await files.remove(tx, keyOf(file))
    })
    expect(await files.find(keyOf(all[5] as StoredFile))).toBeUndefined()
    await runChores()
    expect(onDisk()).toEqual([first?.id, all[1]?.id].toSorted())
    expect(rows()).toHaveLength(2)
  })

  test('deletes files without a row after a week, and nothing that it does not know', async () => {
    const stored = await files.store(chunks('a'), about)
    data.raw.prepare('DELETE FROM files').run()
    const place = join(folder, stored.id.slice(-1))
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'notes.txt'), 'of a person')
    await clock.advance(7 * DAY - 1_000)
    await runChores()
    expect(onDisk()).toEqual([stored.id, 'notes.txt'])
    await clock.advance(2_000)
    await runChores()
    expect(onDisk()).toEqual(['notes.txt'])
  })
})
