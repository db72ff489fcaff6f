import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import Database from 'better-sqlite3'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { FACT_TABLES } from '../../main/storage/fact-tables.ts'
import { migrate } from '../../main/storage/migrate.ts'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'
import { openFactLog } from '../../main/storage/fact-log.ts'
import { watchFacts } from '../../main/storage/fact-triggers.ts'
import { carryOver, type PresentState } from '../../main/storage/preserved-tables.ts'
import { readFacts } from '../../main/storage/read-facts.ts'
import { TABLE_RULES } from '../../main/storage/table-rules.ts'
import { tempFolder } from '../support/database.ts'
import { CASES, NOW_MS } from './restore-cases.ts'

type Row = Record<string, string | number | Buffer | null>
interface Column {
  readonly name: string
  readonly type: string
  readonly pk: number
}

const NO_FACTS = { sinceMs: Infinity, clockMovedMs: null, tables: new Map() }
const folder = tempFolder()

function open(name: string): Database.Database {
  const made = new Database(join(folder, name))
  made.pragma('foreign_keys = OFF')
  made.pragma('ignore_check_constraints = ON')
  return made
}

async function databaseNamed(name: string): Promise<Database.Database> {
  const made = open(name)
  await migrate({ connection: made, migrations: MIGRATIONS, backupsFolder: null, nowMs: 0 })
  return made
}

const tablesOf = (database: Database.Database) =>
  database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all() as string[]
const columnsOf = (database: Database.Database, table: string) =>
  database.prepare('SELECT name, type, pk FROM pragma_table_info(?)').all(table) as Column[]

/** Columns that name what both databases have. */
const PARENTS: Readonly<Record<string, string | number | null>> = {
  ...{ account_id: 'acc', client_id: 'acc', agency_id: 'acc', instance_id: 'ins', scope_id: 'ins' },
  ...{ campaign_id: 'both', link_seq: 2, member_id: null },
}
/** Parts of keys that are unique beside the primary one. */
const UNIQUE = new Set(['seq', 'number', 'scope', 'hash', 'email', 'invitation', 'token', 'id'])
const NUMBERS: Readonly<Record<string, number>> = { then: 1, both: 2, since: 3 }

/** What a column holds in the row of this name: keys are the same in both databases, the rest is not. */
function valueOf({ name, type, pk }: Column, row: string, state: string): string | number | Buffer | null {
  const parent = PARENTS[name]
  if (parent !== undefined) return parent
  const isKey = pk > 0 || UNIQUE.has(name)
  const number = NUMBERS[row] ?? 0
  if (type === 'INTEGER') return isKey ? number : number * 10 + (state === 'now' ? 1 : 0)
  if (type === 'BLOB') return Buffer.from(isKey ? row : `${row}-${state}`)
  return isKey ? row : `${row}-${state}`
}

let present: Database.Database
let backup: Database.Database

beforeAll(async () => {
  ;[backup, present] = [await databaseNamed('backup.db'), await databaseNamed('present.db')]
  for (const [database, state] of [
    [backup, 'then'],
    [present, 'now'],
  ] as const) {
    database.exec(`INSERT INTO accounts (id, name, change_at, created_at) VALUES ('acc', 'A', 1, 1)`)
    database.exec(`INSERT INTO instances (id, account_id, name, instance_name, engine, network, status, status_at, created_at,
      updated_at) VALUES ('ins', 'acc', 'I', 'i', 'smv2', 'sandbox', 'connected', 1, 1, 1)`)
    database.exec(
      `INSERT INTO crm_queues (id, account_id, has_job, suspended, failures) VALUES ('both', 'acc', 0, 0, 0)`,
    )
    for (const table of tablesOf(database)) {
      if (['accounts', 'instances', 'crm_queues'].includes(table)) continue
      for (const row of state === 'then' ? ['then', 'both'] : ['both', 'since']) {
        const columns = columnsOf(database, table)
        database
          .prepare(
            `INSERT OR REPLACE INTO ${table} (${columns.map(({ name }) => name).join(', ')})
             VALUES (${columns.map(() => '?').join(', ')})`,
          )
          .run(columns.map((column) => valueOf(column, row, state)))
      }
    }
  }
  return () => {
    present.close()
    backup.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

const rowsOf = (database: Database.Database, table: string): Row[] =>
  database
    .prepare(
      `SELECT * FROM ${table} ORDER BY ${columnsOf(database, table)
        .map(({ name }) => name)
        .join(', ')}`,
    )
    .all() as Row[]

test('every table declares what a restore does with it, and no rule names an unknown table', () => {
  expect(Object.keys(TABLE_RULES).toSorted()).toEqual(tablesOf(present))
})

const MARKS = ['destination_mark', 'proxy_mark']

test('the fact log names existing columns only, and only of tables that a restore does not replace', () => {
  for (const [table, { key, columns, changes = [], blobs = [] }] of Object.entries(FACT_TABLES)) {
    const known = columnsOf(present, table)
    const names = [...known.map(({ name }) => name), 'password_mark', 'secret_mark', 'prev_secret_mark', ...MARKS]
    expect(names, table).toEqual(expect.arrayContaining([...key, ...columns, ...changes]))
    expect(TABLE_RULES[table], table).not.toBe('restored')
    const found = known.filter(({ name, type }) => type === 'BLOB' && [...key, ...columns].includes(name))
    expect(found.map(({ name }) => name).toSorted(), table).toEqual([...blobs].toSorted())
  }
})

test('the fact log contains no secret and no text', () => {
  const forbidden =
    /secret(?!_version|_mark)|sealed|token(?!s)|_enc$|^text$|^body_|url|payload|hash$|salt|prompt|note|summary|question|detail$/
  for (const [table, { columns }] of Object.entries(FACT_TABLES)) {
    const named = columns.filter((name) => forbidden.test(name) && !(table === 'billing_history' && name === 'detail'))
    expect(named, table).toEqual([])
  }
})

async function restored(kind: string): Promise<Database.Database> {
  const file = join(folder, `restored-${kind}.db`)
  await backup.backup(file)
  const copy = open(`restored-${kind}.db`)
  onTestFinished(() => void copy.close())
  return copy
}

/** Tables whose rule is about some of their rows. */
const PARTLY = new Set(['jobs', 'job_lanes', 'messages', 'delivery_attempts', 'campaign_counts', 'opt_out_questions'])

test('if the database is readable, tables are restored or kept as their rule says', async () => {
  const copy = await restored('database')
  carryOver(copy, { kind: 'database', file: join(folder, 'present.db'), facts: NO_FACTS }, NOW_MS)
  const wrong = Object.entries(TABLE_RULES).flatMap(([table, rule]) => {
    const [then, now, after] = [rowsOf(backup, table), rowsOf(present, table), rowsOf(copy, table)]
    const isRight =
      PARTLY.has(table) ||
      (rule === 'restored' && isDeepStrictEqual(after, then)) ||
      (rule !== 'restored' && rule !== 'kept') ||
      (rule === 'kept' && now.every((row) => after.some((found) => isSame(found, row))))
    return isRight ? [] : [{ table, rule, then, now, after }]
  })
  expect(wrong).toEqual([])
})

/** Set anew by what is ended or counted after the rows were carried over. */
const CHANGED = new Set(['has_job', 'removed'])
const isSame = (found: Row, row: Row): boolean =>
  Object.keys(row).every((name) => CHANGED.has(name) || String(found[name]) === String(row[name]))

const DECIDED = Object.entries(TABLE_RULES).flatMap(([table, rule]) =>
  rule === 'strictest' || rule === 'discarded' ? [table] : [],
)

test('every table whose rows are judged or discarded has a test case', () => {
  expect(DECIDED.filter((table) => CASES[table] === undefined)).toEqual([])
})

const ALL = Object.entries(CASES).flatMap(([table, cases]) =>
  cases.map((one, at) => [`${table} ${at + 1}`, one] as const),
)

test.each(ALL)('%s: what happened since the backup is not undone', async (name, one) => {
  const then = await restored(`${name}-then`)
  for (const sql of one.then ?? []) then.exec(sql)
  const [file, home] = [join(folder, `${name}-present.db`), join(folder, `${name}-facts`)]
  await then.backup(file)
  const now = open(`${name}-present.db`)
  const log = openFactLog({ folder: home, now: () => 0, onProblem: (error) => expect(error).toBeUndefined() })
  watchFacts(now, () => log)
  for (const sql of one.since) {
    now.exec(sql)
    log.write()
  }
  log.close()
  now.close()
  const after = async (present: PresentState) => {
    const copied = join(folder, `${name}-${present.kind}.db`)
    await then.backup(copied)
    const copy = open(`${name}-${present.kind}.db`)
    carryOver(copy, present, NOW_MS)
    const found: unknown = copy.prepare(one.read).pluck().get()
    copy.close()
    return found
  }
  expect(await after({ kind: 'database', file, facts: NO_FACTS }), 'the database is readable').toBe(one.found)
  const expected = 'foundInFacts' in one ? one.foundInFacts : one.found
  expect(await after({ kind: 'facts', facts: readFacts(home), madeAtMs: 1 }), 'only facts are known').toBe(expected)
})

test('if nothing is known since the backup, nobody is called and no campaign resumes automatically', async () => {
  const copy = await restored('unknown')
  copy.exec(`UPDATE voice_calls SET status = 'scheduled', scheduled_at = ${NOW_MS + 60_000}, ended_at = NULL`)
  copy.exec(`UPDATE campaigns SET status = 'running'`)
  copy.exec(`UPDATE campaign_recipients SET status = 'pending'`)
  carryOver(copy, { kind: 'facts', facts: NO_FACTS, madeAtMs: 1 }, NOW_MS)
  const states = (sql: string) => new Set(copy.prepare(sql).raw().all().map(String))
  expect(states('SELECT status, end_reason FROM voice_calls')).toEqual(new Set(['failed,restored']))
  expect(states('SELECT status, pause_reason FROM campaigns')).toEqual(new Set(['paused,restored']))
  expect(states('SELECT status, error_code FROM campaign_recipients')).toEqual(new Set(['unknown,restored']))
})
