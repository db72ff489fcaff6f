import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSnapshot } from '../../main/storage/snapshot.ts'
import { createStatements, type Prepare } from '../../main/storage/statements.ts'
import { settle } from '../support/clock.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'
import { countNotes, notebook } from './notebook.ts'

let home: TestDatabase
let reader: Database.Database

beforeEach(async () => {
  home = await testDatabase(notebook)
  reader = new Database(home.raw.name, { readonly: true })
})
afterEach(async () => {
  reader.close()
  await home.close()
})

const failure = new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_READ')

/** Statements of which one word fails the first time it is run. */
function failingOnce(word: string): Prepare {
  const prepare = createStatements(reader)
  let hasFailed = false
  return (statement) => {
    const prepared = prepare(statement)
    if (statement.text !== word) return prepared
    return {
      ...prepared,
      run(params) {
        if (hasFailed) return prepared.run(params)
        hasFailed = true
        throw failure
      },
    }
  }
}

test('a read snapshot that fails to close is reported, does not end the process, and is not reused by the next read', async () => {
  const prepare = failingOnce('COMMIT')
  const onFailure = vi.fn<(error: unknown) => void>()
  const snapshot = createSnapshot({ connection: reader, prepare, onFailure })
  const count = () => {
    snapshot.begin()
    return prepare(countNotes).one({})
  }
  expect(count()).toEqual({ count: 0 })
  home.raw.exec("INSERT INTO notes (seq, text) VALUES (1, 'from outside')")

  await settle(1)

  expect(onFailure.mock.calls).toEqual([[failure]])
  expect(count()).toEqual({ count: 1 })
  await settle(1)
  expect(onFailure).toHaveBeenCalledOnce()
})
