import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { createMediaStore, type MediaStore } from '../../../main/engines/smv2/media-store.ts'
import { createFiles, type Files } from '../../../main/kernel/files.ts'
import { createIds, systemRandom, type AccountId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { migrate } from '../../../main/storage/migrate.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { MIGRATIONS } from '../../../main/storage/migrations/index.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'
import { openTestStorage, tempFolder } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'

const DAY_MS = 86_400_000
const PICTURE = Buffer.from('a picture of a garden')

let clock: FakeClock
let home: string
/** For what an earlier version wrote. */
let raw: Database.Database
let files: Files
let store: MediaStore
let ids: ReturnType<typeof createIds>
let shop: EngineInstance

beforeEach(async () => {
  clock = fakeClock()
  ids = createIds(clock, seededRandom())
  shop = instance(ids.account())
  home = tempFolder()
  raw = new Database(join(home, 'switchboard.db'))
  // The last release with the older layout.
  await migrate({ connection: raw, migrations: MIGRATIONS.slice(0, 18), backupsFolder: null, nowMs: clock.now() })
})

const instance = (accountId: AccountId): EngineInstance => ({
  ...{ id: ids.instance(), accountId, engine: 'smv2', network: 'live' },
})

/** Opens the home with this version. */
async function upgrade(): Promise<void> {
  raw.close()
  const file = join(home, 'switchboard.db')
  const db = await openTestStorage({ file, migrations: MIGRATIONS, ids, clock, log: silentLog })
  onTestFinished(async () => {
    await db.close()
    rmSync(home, { recursive: true })
  })
  const oldFolder = join(home, 'media')
  const seal = createSeal({ masterKey: { key: () => Buffer.alloc(32, 1) }, random: systemRandom })
  files = createFiles({ db, clock, ids, folder: join(home, 'files') })
  store = createMediaStore({ db, clock, seal, files, oldFolder, maxBytes: 1_000, keepDays: () => 30 })
  for (const folder of ['media', 'files']) mkdirSync(join(home, folder), { recursive: true })
}

/** As an earlier version kept a file. */
function keepAsBefore({ id }: EngineInstance, mediaId: string, bytes: Buffer, seq: number): void {
  const hash = createHash('sha256').update(bytes).digest('hex')
  mkdirSync(join(home, 'media', hash.slice(0, 2)), { recursive: true })
  writeFileSync(join(home, 'media', hash.slice(0, 2), hash), bytes)
  raw
    .prepare(
      `INSERT INTO smv2_media (seq, instance_id, media_id, hash, mime_type, filename, size, received_at)
       VALUES (?, ?, ?, ?, 'image/png', 'garden.png', ?, ?)`,
    )
    .run(seq, id, mediaId, hash, bytes.length, clock.now())
}

const keep = (line: EngineInstance, mediaId: string, bytes: Buffer) =>
  store.keep(line, { mediaId, mimeType: 'image/png', filename: 'garden.png' }, MESSAGE, Readable.from([bytes]))

const MESSAGE = Buffer.from('what it came with')

const fileOf = async (line: EngineInstance, mediaId: string) => {
  const found = await store.find(line, mediaId)
  return found?.kind === 'file' ? found.file : null
}

const read = async (line: EngineInstance, mediaId: string) => {
  const found = await fileOf(line, mediaId)
  return found && buffer(await found.content.read())
}

async function runChores(): Promise<void> {
  for (const { begin } of [store.retention, ...files.chores]) {
    const step = begin()
    while (await step());
  }
}

/** What is on disk, of either layout. */
const onDisk = () =>
  ['media', 'files'].flatMap((folder) => {
    const found = readdirSync(join(home, folder), { recursive: true, withFileTypes: true })
    return found.filter((entry) => entry.isFile()).map(() => folder)
  })

describe('an installation with the older file layout', () => {
  beforeEach(async () => {
    keepAsBefore(shop, 'old', PICTURE, 1)
    keepAsBefore(shop, 'forwarded', PICTURE, 2)
    await upgrade()
  })

  test('keeps serving its old files, and stores new ones in files/', async () => {
    await keep(shop, 'new', PICTURE)
    expect(await fileOf(shop, 'old')).toMatchObject({ mimeType: 'image/png', filename: 'garden.png' })
    for (const mediaId of ['old', 'forwarded', 'new']) expect(await read(shop, mediaId)).toEqual(PICTURE)
    expect(onDisk()).toEqual(['media', 'files'])
  })

  test('does not store a file again when its message is published again', async () => {
    await keep(shop, 'old', PICTURE)
    await runChores()
    expect(onDisk()).toEqual(['media'])
    expect(await read(shop, 'old')).toEqual(PICTURE)
  })

  test('deletes old and new files when their retention ends, each at its time', async () => {
    await clock.advance(20 * DAY_MS)
    await keep(shop, 'new', PICTURE)
    await runChores()
    expect(onDisk()).toEqual(['media', 'files'])
    await clock.advance(10 * DAY_MS + 1)
    await runChores()
    expect(onDisk()).toEqual(['files'])
    expect([await read(shop, 'old'), await read(shop, 'new')]).toEqual([null, PICTURE])
    await clock.advance(20 * DAY_MS)
    await runChores()
    expect([onDisk(), await read(shop, 'new')]).toEqual([[], null])
  })

  test('deletes all files of a wiped instance, and no others', async () => {
    const other = instance(shop.accountId)
    await keep(shop, 'new', PICTURE)
    await keep(other, 'theirs', PICTURE)
    await store.forget(shop.id)
    await runChores()
    expect(onDisk()).toEqual(['files'])
    for (const mediaId of ['old', 'forwarded', 'new']) expect(await read(shop, mediaId)).toBeNull()
    expect(await read(other, 'theirs')).toEqual(PICTURE)
    await store.forget(other.id)
    await runChores()
    expect(onDisk()).toEqual([])
  })
})

describe('a received file', () => {
  beforeEach(upgrade)

  test('that ten people forward is stored once for each account', async () => {
    for (const mediaId of ['a', 'b', 'a']) await keep(shop, mediaId, PICTURE)
    const stranger = instance(ids.account())
    await keep(stranger, 'a', PICTURE)
    await runChores()
    expect(onDisk()).toEqual(['files', 'files'])
    await store.forget(stranger.id)
    await runChores()
    expect([onDisk(), await read(shop, 'a'), await read(shop, 'b')]).toEqual([['files'], PICTURE, PICTURE])
  })

  test('that is damaged or too large is not stored', async () => {
    const damaged = Readable.from(
      (function* () {
        yield PICTURE
        throw new Error('damaged')
      })(),
    )
    const info = { mediaId: 'a', mimeType: 'image/png', filename: null }
    await expect(store.keep(shop, info, MESSAGE, damaged)).rejects.toThrow('damaged')
    await expect(keep(shop, 'a', Buffer.alloc(1_001))).rejects.toThrow('larger than 1000 bytes')
    expect([onDisk(), await read(shop, 'a')]).toEqual([[], null])
  })

  test('whose bytes are missing answers 404 when read or checked', async () => {
    await keep(shop, 'a', PICTURE)
    const found = await fileOf(shop, 'a')
    await store.forget(shop.id)
    await runChores()
    await expect(found?.content.read()).rejects.toMatchObject({ code: 'not_found' })
    await expect(found?.content.verify()).rejects.toMatchObject({ code: 'not_found' })
  })
})
