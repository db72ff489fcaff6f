import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ConstraintError, StorageError, type Tx } from '../../main/kernel/db.ts'
import type { Statement } from '../../main/kernel/sql.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { settle } from '../support/clock.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'
import { countNotes, notebook, noteTexts, putBody, putNote, putReply } from './notebook.ts'

const onFault = vi.fn<(fault: StorageError) => void>()
const logged = vi.fn()
let home: TestDatabase

beforeEach(async () => {
  onFault.mockReset()
  logged.mockReset()
  home = await testDatabase(notebook, { onFault, log: { ...silentLog, error: logged } })
})

afterEach(() => home.close())

const put = (seq: number, text = `note ${seq}`) =>
  home.db.commit(async (tx) => {
    await tx.run(putNote, { seq, text })
    return seq
  })

const puts = (count: number) => Array.from({ length: count }, (_, i) => put(i + 1))

/** What another connection sees: only what was committed. */
const written = () => home.raw.prepare('SELECT text FROM notes ORDER BY seq').pluck().all()

/** Pragmas are no part of the port; these two let the test cause a full disk on the writing connection. */
const limitPages = (pages: number) => ({ text: `PRAGMA max_page_count = ${pages}` })
const pageCount = { text: 'PRAGMA page_count' } as Statement<object, { page_count: number }>

describe('a unit that fails', () => {
  test('C-10 is undone and rejected alone when a constraint refuses it', async () => {
    const before = puts(30)
    const refused = put(1_000, 'note 1')

    const after = Array.from({ length: 33 }, (_, i) => put(31 + i))

    await expect(refused).rejects.toBeInstanceOf(ConstraintError)
    await expect(refused).rejects.toThrow('INSERT INTO notes (seq, text)')
    await expect(Promise.all([...before, ...after])).resolves.toHaveLength(63)
    expect(written()).toHaveLength(63)
    expect(onFault).not.toHaveBeenCalled()
  })

  test('takes everything it did with it, and its callbacks', async () => {
    const told = vi.fn()
    const failing = home.db.commit(async (tx) => {
      tx.afterCommit(told)
      await tx.run(putNote, { seq: 1, text: 'first' })
      await tx.run(putNote, { seq: 2, text: 'second' })
      throw new Error('changed my mind')
    })
    const other = put(3)

    await expect(failing).rejects.toThrow('changed my mind')
    await other
    expect(written()).toEqual(['note 3'])
    expect(told).not.toHaveBeenCalled()
  })

  test('makes its group run again if it had written, and the effects of the other units happen once', async () => {
    const runs: number[] = []
    const told: number[] = []
    const counted = (seq: number, refuse = false) =>
      home.db.commit(async (tx) => {
        runs.push(seq)
        tx.afterCommit(() => told.push(seq))
        await tx.run(putNote, { seq, text: `note ${seq}` })
        if (refuse) throw new Error('no')
        return seq
      })
    const [first, refused, last] = [counted(1), counted(2, true), counted(3)]

    await expect(refused).rejects.toThrow('no')
    expect([await first, await last]).toEqual([1, 3])
    expect(runs).toEqual([1, 2, 1, 2, 3])
    expect(told).toEqual([1, 3])
    expect(written()).toEqual(['note 1', 'note 3'])
  })

  test('costs its group nothing if it had only read', async () => {
    let runs = 0
    const first = home.db.commit(async (tx) => {
      runs++
      await tx.run(putNote, { seq: 1, text: 'note 1' })
    })
    const refused = home.db.commit(async (tx) => {
      await tx.all(countNotes, {})
      throw new Error('no')
    })
    await expect(refused).rejects.toThrow('no')
    await first
    expect([runs, written()]).toEqual([1, ['note 1']])
  })

  test('fails even when it throws before its first promise', async () => {
    const failing = home.db.commit(() => {
      throw new Error('at once')
    })
    const other = put(1)

    await expect(failing).rejects.toThrow('at once')
    await expect(other).resolves.toBe(1)
  })

  test('cannot commit after a refused statement, even if it caught the error', async () => {
    await put(1)
    const stubborn = home.db.commit(async (tx) => {
      await tx.run(putNote, { seq: 2, text: 'kept?' })
      await tx.run(putNote, { seq: 3, text: 'note 1' }).catch(() => 0)
    })

    await expect(stubborn).rejects.toBeInstanceOf(ConstraintError)
    expect(written()).toEqual(['note 1'])
  })

  test('fails on a refused statement it did not wait for', async () => {
    await put(1)
    const careless = home.db.commit(async (tx) => {
      void tx.run(putNote, { seq: 3, text: 'note 1' })
    })

    await expect(careless).rejects.toBeInstanceOf(ConstraintError)
  })

  test('may replace the refusal with an error of its own', async () => {
    await put(1)
    const polite = home.db.commit(async (tx) => {
      try {
        await tx.run(putNote, { seq: 2, text: 'note 1' })
      } catch (error) {
        throw error instanceof ConstraintError ? new Error('The text is taken') : error
      }
    })

    await expect(polite).rejects.toThrow('The text is taken')
  })

  test('gets the name of a missing parameter', async () => {
    const incomplete = { seq: 1 } as { seq: number; text: string }
    const failing = home.db.commit((tx) => tx.run(putNote, incomplete))

    await expect(failing).rejects.toThrow('The parameter :text is missing in: INSERT INTO notes')
    expect(onFault).not.toHaveBeenCalled()
  })
})

describe('a storage fault', () => {
  test('C-10 rejects the whole group when the disk is full, and the next group works once there is room', async () => {
    const now = await home.db.commit((tx) => tx.one(pageCount, {}))
    await home.db.commit((tx) => tx.all(limitPages((now?.page_count ?? 0) + 50), {}))
    const told = vi.fn()
    const big = Buffer.alloc(8_000, 1)
    const units = Array.from({ length: 64 }, (_, i) =>
      home.db.commit(async (tx) => {
        tx.afterCommit(told)
        await tx.run(putBody, { seq: i + 1, text: `note ${i}`, body: big })
      }),
    )

    for (const result of await Promise.allSettled(units)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'StorageError', kind: 'full' } })
    }
    expect(written()).toEqual([])
    expect(told).not.toHaveBeenCalled()
    expect(onFault).toHaveBeenCalledOnce()
    expect(logged).toHaveBeenCalledWith(expect.objectContaining({ event: 'storage.fault', kind: 'full', units: 64 }))

    await home.db.commit((tx) => tx.all(limitPages(1_000_000), {}))
    await expect(put(1)).resolves.toBe(1)
    expect(written()).toEqual(['note 1'])
  })

  test('of a full disk rejects no unit if space can be freed: the group runs again', async () => {
    await home.close()
    const freeSpace = vi.fn<() => boolean>()
    home = await testDatabase(notebook, { onFault, freeSpace })
    // Room is made where the file is kept; a limit of pages stands for the disk here, and is raised from outside.
    const limit = (pages: number) => home.db.commit((tx) => tx.all(limitPages(pages), {}))
    const told: number[] = []
    const unit = (seq: number) =>
      home.db.commit(async (tx) => {
        tx.afterCommit(() => told.push(seq))
        if (freeSpace.mock.calls.length > 0) await tx.all(limitPages(1_000_000), {})
        await tx.run(putBody, { seq, text: `note ${seq}`, body: Buffer.alloc(100_000) })
        return seq
      })
    freeSpace.mockReturnValueOnce(true).mockReturnValue(false)
    await limit(1)

    expect(await Promise.all([unit(1), unit(2)])).toEqual([1, 2])
    expect([told, written()]).toEqual([
      [1, 2],
      ['note 1', 'note 2'],
    ])
    expect([freeSpace.mock.calls.length, onFault.mock.calls.length]).toEqual([1, 0])
  })

  test('C-10 rejects the whole group when the COMMIT itself fails', async () => {
    const told = vi.fn()
    const good = puts(10)
    const orphan = home.db.commit(async (tx) => {
      tx.afterCommit(told)
      await tx.run(putReply, { seq: 1, note: 404 })
    })
    const refused = put(11, 'note 1')

    for (const result of await Promise.allSettled([...good, orphan, refused])) {
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'StorageError', kind: 'unknown' } })
    }
    expect(written()).toEqual([])
    expect(told).not.toHaveBeenCalled()
    await expect(put(1)).resolves.toBe(1)
  })

  test('is not hidden by a unit that catches it', async () => {
    await home.db.commit((tx) => tx.all(limitPages(1), {}))
    const body = Buffer.alloc(100_000, 1)
    const hiding = home.db.commit((tx) => tx.run(putBody, { seq: 1, text: 'big', body }).catch(() => 0))
    const neighbour = put(2)

    await expect(hiding).rejects.toBeInstanceOf(StorageError)
    await expect(neighbour).rejects.toBeInstanceOf(StorageError)
  })
})

describe('the group', () => {
  test('C-10 resolves no unit and runs no callback before the COMMIT has returned', async () => {
    const seenBy: unknown[] = []
    const units = Array.from({ length: 64 }, (_, i) =>
      home.db.commit(async (tx) => {
        await tx.run(putNote, { seq: i + 1, text: `note ${i + 1}` })
        seenBy.push(['inside', written().length])
        tx.afterCommit(() => seenBy.push(['callback', written().length]))
      }),
    )
    for (const unit of units) void unit.then(() => seenBy.push(['resolved', written().length]))

    await Promise.all(units)
    await settle(1)

    expect(seenBy.slice(0, 64)).toEqual(Array.from({ length: 64 }, () => ['inside', 0]))
    expect(seenBy.slice(64)).toHaveLength(128)
    for (const [, count] of seenBy.slice(64) as [string, number][]) expect(count).toBe(64)
  })

  test('holds 64 units; the others wait for the next group', async () => {
    const sizes = new Set<number>()
    const units = Array.from({ length: 100 }, (_, i) =>
      home.db.commit(async (tx) => {
        await tx.run(putNote, { seq: i + 1, text: `note ${i + 1}` })
        tx.afterCommit(() => sizes.add(written().length))
      }),
    )
    await Promise.all(units)

    expect([...sizes]).toEqual([64, 100])
  })

  test('runs its units one after another in the order they came, each seeing what the earlier wrote', async () => {
    const seen: string[] = []
    const unit = (name: string, seq: number) =>
      home.db.commit(async (tx) => {
        seen.push(`${name} sees ${(await tx.all(noteTexts, {})).length}`)
        await tx.run(putNote, { seq, text: name })
        await tx.one(countNotes, {})
        seen.push(`${name} ends`)
      })
    await Promise.all([unit('a', 1), unit('b', 2), unit('c', 3)])

    expect(seen).toEqual(['a sees 0', 'a ends', 'b sees 1', 'b ends', 'c sees 2', 'c ends'])
  })

  test('is not affected by a callback that throws', async () => {
    const told = vi.fn()
    const clumsy = home.db.commit(async (tx) => {
      tx.afterCommit(() => {
        throw new Error('clumsy')
      })
      tx.afterCommit(told)
      return 'done'
    })
    const other = home.db.commit(async (tx) => tx.afterCommit(told))

    await expect(clumsy).resolves.toBe('done')
    await other
    expect(told).toHaveBeenCalledTimes(2)
    expect(logged).toHaveBeenCalledWith(expect.objectContaining({ event: 'storage.after_commit' }))
  })

  test('lets a callback start the next unit', async () => {
    const next = new Promise<number>((resolve) => {
      void home.db.commit(async (tx) => tx.afterCommit(() => resolve(put(7))))
    })
    await expect(next).resolves.toBe(7)
  })
})

describe('a unit may await storage only', () => {
  test('db.commit inside a unit throws and undoes it', async () => {
    const nesting = home.db.commit(async (tx) => {
      await tx.run(putNote, { seq: 1, text: 'outer' })
      await put(2)
    })
    const neighbour = put(3)

    await expect(nesting).rejects.toThrow('db.commit was called inside a unit of work')
    await neighbour
    expect(written()).toEqual(['note 3'])
  })

  test('db.commit inside a unit is detected even if it is not awaited', async () => {
    const nesting = home.db.commit(async (tx) => {
      await tx.run(putNote, { seq: 1, text: 'outer' })
      void put(2)
    })

    await expect(nesting).rejects.toThrow('db.commit was called inside a unit of work')
    expect(written()).toEqual([])
  })

  test('db.read inside a unit throws, because it would not see what the unit wrote', async () => {
    const reading = home.db.commit(() => home.db.read(noteTexts, {}))

    await expect(reading).rejects.toThrow('db.read was called inside a unit of work')
  })

  test.each([
    ['a timer', () => new Promise((resolve) => setTimeout(resolve, 5))],
    ['the next turn', () => new Promise((resolve) => setImmediate(resolve))],
    ['the next tick', () => new Promise<void>((resolve) => process.nextTick(resolve))],
    ['nothing that ever comes', () => new Promise(() => {})],
  ])('awaiting %s is refused immediately, and the other units of the group commit', async (_, foreign) => {
    let leftover: Tx | undefined
    const before = put(1)
    const waiting = home.db.commit(async (tx) => {
      leftover = tx
      await tx.run(putNote, { seq: 2, text: 'lost' })
      await foreign()
      await tx.run(putNote, { seq: 3, text: 'too late' })
    })
    const after = put(4)

    await expect(waiting).rejects.toThrow('A unit of work awaited something other than tx')
    await Promise.all([before, after])
    await new Promise((resolve) => setTimeout(resolve, 10))
    await expect(leftover?.run(putNote, { seq: 5, text: 'later' })).rejects.toThrow('This unit of work is over')
    await put(6)
    expect(written()).toEqual(['note 1', 'note 4', 'note 6'])
  })

  test('a unit may await any number of resolved promises', async () => {
    async function* letters() {
      yield 'c'
      yield 'd'
    }
    const patient = home.db.commit(async (tx) => {
      for (let i = 0; i < 1_000; i++) await Promise.resolve()
      await Promise.all([tx.run(putNote, { seq: 1, text: 'a' }), tx.run(putNote, { seq: 2, text: 'b' })])
      for await (const text of letters()) await tx.run(putNote, { seq: text.charCodeAt(0), text })
    })

    await patient
    expect(written()).toEqual(['a', 'b', 'c', 'd'])
  })
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** How many units had been stored when each turn of the loop that brought one more was over. */
async function storedWhileComing(turns: number): Promise<number[]> {
  const stored: number[] = []
  for (let i = 0; i < turns; i++) {
    void put(100 + i)
    await turn()
    stored.push(written().length)
  }
  return stored
}

test('with several callers a group waits as long as every turn of the event loop adds units, and no longer', async () => {
  await Promise.all(puts(8))

  expect(await storedWhileComing(5)).toEqual([8, 8, 8, 8, 8])
  await turn()
  expect(written()).toHaveLength(13)
})

test('a lone unit, and the units after it, do not wait for others', async () => {
  await put(1)

  expect(await storedWhileComing(3)).toEqual([2, 3, 4])
})

test('a group that is large enough does not wait for more units', async () => {
  await Promise.all(puts(8))
  const many = Array.from({ length: 64 }, (_, i) => put(1_000 + i))
  await turn()

  expect(written()).toHaveLength(72)
  await Promise.all(many)
})

test('a read never sees a partly written group', async () => {
  const counts: number[] = []
  const writing = new AbortController()
  const looking = (async () => {
    while (!writing.signal.aborted) {
      counts.push((await home.db.readOne(countNotes, {}))?.count ?? -1)
      await settle(1)
    }
  })()
  for (let round = 0; round < 5; round++) {
    const units = Array.from({ length: 64 }, (_, i) =>
      home.db.commit(async (tx) => {
        const seq = round * 128 + i * 2
        await tx.run(putNote, { seq, text: `even ${seq}` })
        await tx.run(putNote, { seq: seq + 1, text: `odd ${seq}` })
      }),
    )
    await Promise.all(units)
  }
  writing.abort()
  await looking

  expect(counts.filter((count) => count % 128 !== 0)).toEqual([])
  expect(new Set(counts).size).toBeGreaterThan(2)
})

describe('closing', () => {
  test('finishes the waiting units, then refuses new ones', async () => {
    const units = puts(100)
    await Promise.all([home.db.close(), home.db.close()])

    await expect(Promise.all(units)).resolves.toHaveLength(100)
    await expect(put(101)).rejects.toMatchObject({ name: 'StorageError', kind: 'closed' })
    await expect(home.db.read(noteTexts, {})).rejects.toMatchObject({ name: 'StorageError', kind: 'closed' })
    expect(written()).toHaveLength(100)
  })
})
