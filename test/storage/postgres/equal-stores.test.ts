import Database from 'better-sqlite3'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import '../../../main/service.ts'
import { declaredStatements } from '../../../main/kernel/sql.ts'
import { MIGRATIONS } from '../../../main/storage/migrations/index.ts'
import { postgresSchema } from '../../../main/storage/postgres/schema-text.ts'
import { postgresText } from '../../../main/storage/postgres/statement-text.ts'
import { startPostgres, type PostgresServer } from '../../support/postgres-server.ts'
import { describe as ask } from './describe.ts'
import { postgresCatalog, sqliteCatalog } from './catalogs.ts'

let server: PostgresServer
let client: Client
const sqlite = new Database(':memory:')

beforeAll(async () => {
  server = await startPostgres()
  client = new Client({ connectionString: await server.createDatabase() })
  await client.connect()
  for (const { sql, postgres } of MIGRATIONS) {
    sqlite.exec(sql)
    await client.query(postgresSchema(postgres ?? sql))
  }
})

afterAll(async () => {
  sqlite.close()
  await client.end()
  await server.stop()
})

test('both databases have the same tables, columns, keys, indexes and checks', async () => {
  const [ours, theirs] = [sqliteCatalog(sqlite), await postgresCatalog(client)]

  expect(ours.length).toBeGreaterThan(1_000)
  expect(theirs).toEqual(ours)
})

test('every statement is accepted by PostgreSQL and returns columns of the same names', async () => {
  const differences: string[] = []
  for (const { text } of declaredStatements()) {
    const found = await ask(client, postgresText(text).text).then(
      ({ columns }) => columns,
      (error: unknown) => String(error),
    )
    const prepared = sqlite.prepare(text)
    const expected = prepared.reader ? prepared.columns().map(({ name }) => name) : []
    if (JSON.stringify(found) !== JSON.stringify(expected)) differences.push(`${text}: ${String(found)}`)
  }

  expect(declaredStatements().length).toBeGreaterThan(1_000)
  expect(differences).toEqual([])
})

/** Parameters that PostgreSQL takes for 32 bits wide. All of them are flags or small numbers. */
const NARROW = [':keepsPrevious = 1', ':keepsTime = 1', ':hasPhoneList = 1', 'OFFSET :kept - 1', 'ELSE :waits']

test('no parameter is narrower than the numbers it may hold', async () => {
  const narrow: string[] = []
  for (const { text } of declaredStatements()) {
    await client.query(`PREPARE statement AS ${postgresText(text).text}`)
    const { rows } = await client.query<{ types: string }>(
      `SELECT array_to_string(parameter_types, ' ') AS types FROM pg_prepared_statements WHERE name = 'statement'`,
    )
    await client.query('DEALLOCATE statement')
    if (/\b(integer|smallint|real|numeric)\b/.test(rows[0]?.types ?? '')) narrow.push(text)
  }

  expect(narrow.filter((text) => !NARROW.some((part) => text.includes(part)))).toEqual([])
})

test('text is ordered by bytes, as in SQLite', async () => {
  const words = ['b', 'B', '_', 'é', 'a', 'insB', 'ins_1', 'ins_A', '']
  await client.query('CREATE TEMPORARY TABLE words (word TEXT COLLATE "C")')
  for (const word of words) await client.query('INSERT INTO words (word) VALUES ($1)', [word])
  const { rows } = await client.query<{ word: string }>('SELECT word FROM words ORDER BY word')

  const ordered = sqlite.prepare(`SELECT value FROM json_each(?) ORDER BY value`).pluck().all(JSON.stringify(words))
  expect(rows.map(({ word }) => word)).toEqual(ordered)
})
