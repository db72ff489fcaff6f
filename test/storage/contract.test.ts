import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createIds } from '../../main/kernel/ids.ts'
import { ConstraintError, StorageError, type Tx } from '../../main/kernel/db.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { sql } from '../../main/kernel/sql.ts'
import { openPostgres } from '../../main/storage/postgres/postgres.ts'
import type { Storage } from '../../main/storage/sqlite.ts'
import { fakeClock } from '../support/clock.ts'
import { testDatabase } from '../support/database.ts'
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts'
import { seededRandom } from '../support/random.ts'
import { countNotes, notebook, noteTexts, putBody, putNote } from './notebook.ts'

const bodyOf = sql<{ seq: number }, { body: Uint8Array | null; noteSeq: number }>(
  'SELECT body, seq AS noteSeq FROM notes WHERE seq = :seq',
)
const rename = sql<{ seq: number; text: string }>('UPDATE notes SET text = :text WHERE seq = :seq')
const removeAll = sql('DELETE FROM notes')
const between = sql<{ from: number; to: number }, { seq: number }>(
  'SELECT seq FROM notes WHERE seq >= :from AND seq <= :to ORDER BY seq',
)

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

const STORES = {
  SQLite: async () => {
    const home = await testDatabase(notebook)
    return { db: home.db, close: home.close }
  },
  PostgreSQL: async () => {
    const url = await server.createDatabase()
    const ids = createIds(fakeClock(), seededRandom())
    const db = await openPostgres({ url, migrations: notebook, ids, log: silentLog })
    return { db, close: () => db.close() }
  },
} as const satisfies Record<string, () => Promise<{ db: Storage; close: () => Promise<void> }>>

describe.each(Object.keys(STORES) as (keyof typeof STORES)[])('the storage port on %s', (store) => {
  let db: Storage
  let close: () => Promise<void>

  beforeEach(async () => {
    ;({ db, close } = await STORES[store]())
  })

  afterEach(() => close())

  const put = (seq: number, text = `note ${seq}`) =>
    db.commit(async (tx) => {
      await tx.run(putNote, { seq, text })
      return seq
    })
  const written = async () => (await db.read(noteTexts, {})).map(({ text }) => text)

  test('stores and reads integers, text, bytes and null', async () => {
    const body = Buffer.from([0, 1, 0xff])
    await db.commit((tx) => tx.run(putBody, { seq: 2 ** 52, text: "it's :here é 😀", body }))
    await put(2)

    const found = await db.readOne(bodyOf, { seq: 2 ** 52 })
    expect(found?.noteSeq).toBe(2 ** 52)
    expect(Buffer.from(found?.body ?? [])).toEqual(body)
    expect(await db.readOne(bodyOf, { seq: 2 })).toEqual({ body: null, noteSeq: 2 })
    expect(await written()).toEqual(['note 2', "it's :here é 😀"])
  })

  test('returns undefined for a row that does not exist', async () => {
    expect(await db.readOne(bodyOf, { seq: 1 })).toBeUndefined()
    expect(await db.commit((tx) => tx.one(bodyOf, { seq: 1 }))).toBeUndefined()
  })

  test('returns how many rows a statement changed', async () => {
    await Promise.all([put(1), put(2)])

    expect(await db.commit((tx) => tx.run(rename, { seq: 1, text: 'new' }))).toBe(1)
    expect(await db.commit((tx) => tx.run(rename, { seq: 9, text: 'other' }))).toBe(0)
    expect(await db.commit((tx) => tx.run(removeAll, {}))).toBe(2)
  })

  test('counts as a number', async () => {
    await put(1)

    expect(await db.readOne(countNotes, {})).toEqual({ count: 1 })
  })

  test('a unit sees its own writes, and readers see them after the commit', async () => {
    const seen = await db.commit(async (tx) => {
      await tx.run(putNote, { seq: 1, text: 'mine' })
      return tx.all(noteTexts, {})
    })

    expect(seen).toEqual([{ text: 'mine' }])
    expect(await written()).toEqual(['mine'])
  })

  test('undoes and rejects only the unit that a constraint refuses', async () => {
    const before = [put(1), put(2)]
    const refused = put(3, 'note 1')
    const after = [put(4), put(5)]

    await expect(refused).rejects.toBeInstanceOf(ConstraintError)
    await expect(refused).rejects.toThrow('INSERT INTO notes (seq, text)')
    expect(await Promise.all([...before, ...after])).toEqual([1, 2, 4, 5])
    expect(await written()).toEqual(['note 1', 'note 2', 'note 4', 'note 5'])
  })

  test('undoes everything that a failing unit wrote and calls none of its callbacks', async () => {
    const called = vi.fn()
    const failing = db.commit(async (tx) => {
      tx.afterCommit(called)
      await tx.run(putNote, { seq: 1, text: 'first' })
      throw new Error('changed my mind')
    })
    const other = put(3)

    await expect(failing).rejects.toThrow('changed my mind')
    await other
    expect(await written()).toEqual(['note 3'])
    expect(called).not.toHaveBeenCalled()
  })

  test('calls the callbacks of a unit once, after its commit, even if its group ran twice', async () => {
    const order: string[] = []
    const first = db.commit(async (tx) => {
      tx.afterCommit(() => order.push('callback'))
      await tx.run(putNote, { seq: 1, text: 'note 1' })
    })
    const refused = db.commit(async (tx) => {
      await tx.run(putNote, { seq: 2, text: 'note 2' })
      throw new Error('no')
    })
    await expect(refused).rejects.toThrow('no')
    await first.then(() => order.push('resolved'))

    expect(order).toEqual(['callback', 'resolved'])
  })

  test('a unit that only read and failed does not make its group run again', async () => {
    let runs = 0
    const first = db.commit(async (tx) => {
      runs++
      await tx.run(putNote, { seq: 1, text: 'note 1' })
    })
    const refused = db.commit(async (tx) => {
      await tx.all(countNotes, {})
      throw new Error('no')
    })

    await expect(refused).rejects.toThrow('no')
    await first
    expect([runs, await written()]).toEqual([1, ['note 1']])
  })

  test('a unit cannot commit after a refused statement, even if it caught the error', async () => {
    await put(1)
    const stubborn = db.commit(async (tx) => {
      await tx.run(putNote, { seq: 2, text: 'kept?' })
      await tx.run(putNote, { seq: 3, text: 'note 1' }).catch(() => 0)
    })

    await expect(stubborn).rejects.toBeInstanceOf(ConstraintError)
    expect(await written()).toEqual(['note 1'])
  })

  test('a unit fails on a refused statement it did not wait for', async () => {
    await put(1)
    const careless = db.commit(async (tx) => {
      void tx.run(putNote, { seq: 3, text: 'note 1' }).catch(() => 0)
    })

    await expect(careless).rejects.toBeInstanceOf(ConstraintError)
  })

  test('a unit that throws before its first promise is rejected alone', async () => {
    const failing = db.commit(() => {
      throw new Error('immediately')
    })

    await expect(failing).rejects.toThrow('immediately')
    expect(await put(1)).toBe(1)
  })

  test('a unit that awaits something other than its transaction is rejected alone', async () => {
    const slow = db.commit(async (tx) => {
      await tx.run(putNote, { seq: 1, text: 'slow' })
      await new Promise((resolve) => setTimeout(resolve, 50))
    })
    const other = put(2)

    await expect(slow).rejects.toThrow('awaited something other than tx')
    await other
    expect(await written()).toEqual(['note 2'])
  })

  test('a unit cannot use its transaction after it ended', async () => {
    let kept: Tx | undefined
    await db.commit(async (tx) => {
      kept = tx
    })

    await expect(kept?.all(noteTexts, {})).rejects.toThrow('This unit of work is over')
  })

  test('units run one after another', async () => {
    const add = () =>
      db.commit(async (tx) => {
        const { count } = (await tx.one(countNotes, {})) ?? { count: 0 }
        await tx.run(putNote, { seq: count + 1, text: `note ${count + 1}` })
      })
    await Promise.all(Array.from({ length: 150 }, add))

    expect(await db.readOne(countNotes, {})).toEqual({ count: 150 })
  })

  test('names a missing parameter', async () => {
    const incomplete = { seq: 1 } as { seq: number; text: string }

    await expect(db.commit((tx) => tx.run(putNote, incomplete))).rejects.toThrow('The parameter :text is missing')
  })

  test.each([1.5, Infinity, Number.NaN])('refuses %s as a parameter', async (to) => {
    await expect(db.read(between, { from: 0, to })).rejects.toThrow('not an integer in: SELECT seq FROM notes')
  })

  test('numbers of a sequence rise in the order of commits, separately for each name', async () => {
    const take = (name: string) => db.commit((tx) => tx.next(name))
    const numbers = await Promise.all([take('events'), take('events'), take('messages'), take('events')])

    expect(numbers).toEqual([1, 2, 1, 3])
  })

  test('a number that was rolled back is not given out again', async () => {
    let taken = 0
    const failing = db.commit(async (tx) => {
      taken = await tx.next('events')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')

    expect(await db.commit((tx) => tx.next('events'))).toBeGreaterThan(taken)
  })

  test('refuses work after it was closed', async () => {
    await db.close()

    await expect(put(1)).rejects.toEqual(new StorageError('closed', 'The database is closed'))
    await expect(db.read(noteTexts, {})).rejects.toMatchObject({ kind: 'closed' })
  })

  test('commits waiting units before it closes', async () => {
    const waiting = [put(1), put(2)]
    await db.close()

    expect(await Promise.all(waiting)).toEqual([1, 2])
  })
})
