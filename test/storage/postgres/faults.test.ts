import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { StorageError } from '../../../main/kernel/db.ts'
import { createIds } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { LOCK_WRITERS } from '../../../main/storage/postgres/group-commit.ts'
import { sql } from '../../../main/kernel/sql.ts'
import { openPostgres } from '../../../main/storage/postgres/postgres.ts'
import type { Storage } from '../../../main/storage/sqlite.ts'
import { fakeClock } from '../../support/clock.ts'
import { proxyTo, type PostgresProxy } from '../../support/postgres-proxy.ts'
import { startPostgres, type PostgresServer } from '../../support/postgres-server.ts'
import { seededRandom } from '../../support/random.ts'
import { notebook, noteTexts, putNote, putReply } from '../notebook.ts'

let server: PostgresServer
let url: string
let proxy: PostgresProxy
let db: Storage
const onFault = vi.fn<(fault: StorageError) => void>()

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

beforeEach(async () => {
  onFault.mockReset()
  url = await server.createDatabase()
  proxy = await proxyTo(url)
  db = await open(proxy.url)
})

afterEach(async () => {
  await db.close()
  proxy.close()
})

let seed = 1
const open = (address: string) =>
  openPostgres({
    ...{ url: address, migrations: notebook, log: silentLog, onFault },
    ids: createIds(fakeClock(), seededRandom(seed++)),
  })

const put = (seq: number, on = db) =>
  on.commit(async (tx) => {
    await tx.run(putNote, { seq, text: `note ${seq}` })
    return seq
  })

/** What is stored, asked past the proxy. */
async function stored(): Promise<string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ text: string }>('SELECT text FROM notes ORDER BY seq')
  await client.end()
  return rows.map(({ text }) => text)
}

describe('a connection that is lost during COMMIT', () => {
  test.each(['commit_lost', 'answer_lost'] as const)('stores each unit exactly once after %s', async (fault) => {
    let runs = 0
    proxy.breakNextCommit(fault)
    await db.commit(async (tx) => {
      runs++
      await tx.run(putNote, { seq: 1, text: 'note 1' })
    })
    await put(2)

    expect(await stored()).toEqual(['note 1', 'note 2'])
    expect(runs).toBe(fault === 'commit_lost' ? 2 : 1)
    expect(onFault).not.toHaveBeenCalled()
  })
})

describe('a server that is away', () => {
  test('reads and commits wait for it', async () => {
    proxy.setOff(true)
    const [reading, writing] = [db.read(noteTexts, {}), put(1)]
    await new Promise((resolve) => setTimeout(resolve, 700))
    proxy.setOff(false)

    expect(await reading).toBeInstanceOf(Array)
    expect(await writing).toBe(1)
    expect(await stored()).toEqual(['note 1'])
  })

  test('stores what it acknowledged, and nothing it refused, when it is killed and started again', async () => {
    const numbers = Array.from({ length: 300 }, (_, at) => at + 1)
    const writing = Promise.allSettled(numbers.map((seq) => put(seq)))
    await new Promise((resolve) => setTimeout(resolve, 30))
    await server.kill()
    await server.start()
    const results = await writing

    const acknowledged = numbers.filter((_, at) => results[at]?.status === 'fulfilled')
    expect(await stored()).toEqual(acknowledged.map((seq) => `note ${seq}`))
    expect(acknowledged.length).toBeGreaterThan(0)
  })

  test('fails a unit with a StorageError after seven seconds, and stores nothing of it', async () => {
    proxy.setOff(true)

    await expect(put(1)).rejects.toMatchObject({ kind: 'unreachable' })
    proxy.setOff(false)
    expect(await stored()).toEqual([])
    expect(onFault).toHaveBeenCalledOnce()
  })
})

test('a process that is stopped in a transaction holds up the others for five seconds', async () => {
  const stopped = new Client({ connectionString: url })
  stopped.on('error', () => {})
  await stopped.connect()
  await stopped.query(`SET idle_in_transaction_session_timeout = '5s'`)
  await stopped.query('BEGIN')
  await stopped.query(LOCK_WRITERS)
  const before = performance.now()
  await put(1)

  expect(performance.now() - before).toBeLessThan(8_000)
  expect(await stored()).toEqual(['note 1'])
})

test('a statement that takes too long fails alone and is not repeated', async () => {
  const slow = sql<{ seconds: number }>(`SELECT pg_sleep(:seconds)`)
  const before = performance.now()

  await expect(db.read(slow, { seconds: 30 })).rejects.toThrow('canceling statement due to statement timeout')
  expect(performance.now() - before).toBeLessThan(13_000)
  expect(await put(1)).toBe(1)
})

test('a constraint that is checked at COMMIT undoes the whole group', async () => {
  const failing = db.commit((tx) => tx.run(putReply, { seq: 1, note: 404 }))
  const other = put(1)

  await expect(failing).rejects.toBeInstanceOf(StorageError)
  await expect(other).rejects.toBeInstanceOf(StorageError)
  expect(await stored()).toEqual([])
  expect(await put(2)).toBe(2)
})

test('text with U+0000, which PostgreSQL cannot store, is stored with U+FFFD', async () => {
  await db.commit((tx) => tx.run(putNote, { seq: 1, text: 'a\0b' }))

  expect(await stored()).toEqual(['a\uFFFDb'])
})

test('two processes give their units numbers in the order of commits', async () => {
  const other = await open(url)
  const insert = (on: Storage) =>
    on.commit(async (tx) => {
      const seq = await tx.next('notes')
      await tx.run(putNote, { seq, text: `note ${seq}` })
      return seq
    })
  let last = 0
  const over = new AbortController()
  const missed: number[] = []
  const seen = new Set<number>()
  const reading = (async () => {
    while (!over.signal.aborted) {
      const numbers = (await other.read(noteTexts, {})).map(({ text }) => Number(text.slice(5)))
      for (const number of numbers) {
        if (number <= last && !seen.has(number)) missed.push(number)
        seen.add(number)
      }
      last = Math.max(last, ...numbers)
    }
  })()
  const numbers = await Promise.all(
    Array.from({ length: 400 }, async (_, at) => {
      await new Promise((resolve) => setTimeout(resolve, at % 50))
      return insert(at % 2 === 0 ? db : other)
    }),
  )
  over.abort()
  await reading
  await other.close()

  expect(new Set(numbers).size).toBe(400)
  expect(missed).toEqual([])
})

test('a read-then-write unit is not overtaken by another process', async () => {
  const other = await open(url)
  const add = (on: Storage) =>
    on.commit(async (tx) => {
      const count = (await tx.all(noteTexts, {})).length
      await tx.run(putNote, { seq: count + 1, text: `note ${count + 1}` })
    })
  await Promise.all(Array.from({ length: 60 }, (_, at) => add(at % 2 === 0 ? db : other)))
  await other.close()

  expect(await stored()).toHaveLength(60)
})

describe('opening', () => {
  test('applies each schema step once', async () => {
    const steps: unknown[] = []
    const log = { ...silentLog, info: (fields: object) => steps.push(fields) }
    const ids = createIds(fakeClock(), seededRandom(99))
    const fresh = await server.createDatabase()
    await (await openPostgres({ url: fresh, migrations: notebook, ids, log })).close()
    await (await openPostgres({ url: fresh, migrations: notebook, ids, log })).close()

    expect(steps).toEqual([{ event: 'storage.migrated', steps: ['ledger', 'notebook'] }])
  })

  test('upgrades once when two processes start together', async () => {
    const fresh = await server.createDatabase()
    const both = await Promise.all([open(fresh), open(fresh)])

    expect(await both[1].read(noteTexts, {})).toEqual([])
    await Promise.all(both.map((each) => each.close()))
  })

  test('refuses a database of a newer version', async () => {
    const newer = [...notebook, { version: 900, name: 'newer', sql: 'CREATE TABLE newer (a TEXT) STRICT' }]
    const ids = createIds(fakeClock(), seededRandom(98))
    const fresh = await server.createDatabase()
    await (await openPostgres({ url: fresh, migrations: newer, ids, log: silentLog })).close()

    await expect(open(fresh)).rejects.toThrow('written by a newer Switchboard (schema 900, this version supports 2)')
  })

  test('says that the server cannot be reached, without the password', async () => {
    const message = await open('postgres://me:secret@127.0.0.1:1/none').then(
      () => '',
      (error: unknown) => String(error),
    )

    expect(message).toContain("The database server of database_url can't be used")
    expect(message).not.toContain('secret')
  })
})
