import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'

const OPERATOR = '019b0000-0000-7000-8000-000000000001'
const KEPT = '019b0000-0000-7000-8000-000000000002'
const LEFT = '019b0000-0000-7000-8000-000000000003'
const EARLIER = '019b0000-0000-7000-8000-000000000004'

const STEP = MIGRATIONS.findIndex(({ name }) => name === 'shared-passwords')

/** A home of the version before, whose accounts all have a password. */
function earlierHome(hasMeta: boolean): Database.Database {
  const db = new Database(':memory:')
  for (const { sql } of MIGRATIONS.slice(0, STEP)) db.exec(sql)
  for (const id of [OPERATOR, KEPT, LEFT, EARLIER]) {
    db.prepare('INSERT INTO accounts (id, name, change_at, created_at) VALUES (?, ?, 1, 1)').run(id, id)
    db.prepare('INSERT INTO console_passwords VALUES (?, ?, ?, 16384, 1000)').run(
      id,
      Buffer.from('salt'),
      Buffer.from(id),
    )
    for (const role of ['operator', 'member'])
      db.prepare(
        'INSERT INTO console_sessions (hash, account_id, created_at, used_at, role) VALUES (?, ?, 1, 1, ?)',
      ).run(Buffer.from(`${id}${role}`), id, role)
  }
  if (hasMeta) db.prepare("INSERT INTO meta (name, value) VALUES ('operator_account', ?)").run(OPERATOR)
  const removal = db.prepare(
    `INSERT INTO audit_log (seq, account_id, at, actor, actor_name, via, operation, fields)
     VALUES (?, ?, ?, 'operator', '', 'window', 'removeMember', '[]')`,
  )
  removal.run(1, LEFT, 1000)
  removal.run(2, EARLIER, 999)
  return db
}

test.each([true, false])('a shared password is kept unless a removed member may know it (meta: %s)', (hasMeta) => {
  const db = earlierHome(hasMeta)
  db.exec(MIGRATIONS[STEP]?.sql ?? '')

  expect(db.prepare('SELECT account_id FROM console_passwords').pluck().all()).toEqual([OPERATOR])
  expect(
    db
      .prepare('SELECT id, account_id, email, password_hash, password_cost, is_shared FROM members ORDER BY id')
      .raw()
      .all(),
  ).toEqual([KEPT, EARLIER].map((id) => [id, id, id, Buffer.from(id), 16384, 1]))
  // Sessions that the password made belong to it; those of one that is dropped end.
  expect(
    db
      .prepare("SELECT account_id, member_id FROM console_sessions WHERE role = 'member' ORDER BY account_id")
      .raw()
      .all(),
  ).toEqual([
    [KEPT, KEPT],
    [EARLIER, EARLIER],
  ])
  expect(db.prepare("SELECT COUNT(*) FROM console_sessions WHERE role = 'operator'").pluck().get()).toBe(4)
})
