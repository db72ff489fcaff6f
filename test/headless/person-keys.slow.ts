import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createApi, testHome, until, type TestHome } from '../support/service-process.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

const PEOPLE = 100_000
/** A Mexican mobile as an earlier version knew it: two people. */
const before = (n: number) => `52155${String(10_000_000 + n)}`
const now = (n: number) => `5255${String(10_000_000 + n)}`

/** Of them, with whom there are two chats. */
const CHATS = 5_000

let home: TestHome
let instance: string
let database: string
let key: string
beforeAll(async () => {
  home = testHome()
  ;({ key } = await home.key('A program'))
  const started = await home.start()
  const made = await createApi(started.url, key)('POST', '/v1/instances', { network: 'sandbox' })
  instance = made.body.id
  await started.end('SIGTERM')
  database = join(home.dir, 'switchboard.db')
  const db = new Database(database)
  const account = db.prepare('SELECT id FROM accounts').pluck().get() as string
  const contact = db.prepare(
    `INSERT INTO contacts (seq, account_id, number, reversed, phone, given_name, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, 1, 1)`,
  )
  const optOut = db.prepare(
    `INSERT INTO opt_outs (seq, account_id, number, scope, phone, source, created_at)
     VALUES (?, ?, ?, 'account', ?, 'keyword', 1)`,
  )
  const message = db.prepare(
    `INSERT INTO messages (seq, id, account_id, instance_id, engine, direction, chat, sender, type, text,
       engine_message_id, is_group, created_at)
     VALUES (@seq, 'm' || @seq, @account, @instance, 'smv2', 'in', @chat, @chat, 'text', 'Hello', 'e' || @seq, 0, 1)`,
  )
  db.transaction(() => {
    for (let n = 0; n < CHATS; n++)
      for (const [seq, chat] of [[2 * n + 1, now(n)] as const, [2 * n + 2, before(n)] as const])
        message.run({ seq, account, instance, chat })
    for (let n = 0; n < PEOPLE; n++) {
      for (const [seq, number] of [[2 * n, now(n)] as const, [2 * n + 1, before(n)] as const])
        contact.run(
          seq,
          account,
          number,
          number.split('').toReversed().join(''),
          number,
          seq % 2 === 1 ? `Person ${n}` : null,
        )
      optOut.run(n, account, before(n), before(n))
    }
    for (const table of ['contacts', 'opt_outs', 'chats'])
      db.prepare('INSERT INTO person_rekeyings (name) VALUES (?) ON CONFLICT DO NOTHING').run(table)
  })()
  db.close()
})
afterAll(() => home.remove())

function countOf(query: string): number {
  const db = new Database(database, { readonly: true })
  try {
    return db.prepare(query).pluck().get() as number
  } finally {
    db.close()
  }
}
/** Rows that still have the key of an earlier version. */
const left = (table: 'contacts' | 'opt_outs') => countOf(`SELECT COUNT(*) FROM ${table} WHERE number GLOB '521*'`)
const leftChats = () => countOf("SELECT COUNT(*) FROM messages WHERE chat GLOB '521*'")
const moves = () => countOf('SELECT COUNT(*) FROM chat_moves')

test('duplicate contacts of an earlier version are merged, although the service is killed meanwhile', async () => {
  const first = home.launch()
  first.listening.catch(() => {})
  await until('some contacts are merged', () => left('contacts') < PEOPLE * 0.8 || undefined, 90_000)
  await first.end('SIGKILL')
  expect(left('contacts')).toBeGreaterThan(0)

  const second = home.launch()
  second.listening.catch(() => {})
  await until('a part of the chats', () => moves() > 0 || undefined, 90_000)
  await second.end('SIGKILL')

  const service = await home.start()
  const api = createApi(service.url, key)
  expect([left('contacts'), left('opt_outs')]).toEqual([0, 0])
  for (const n of [0, PEOPLE / 2, PEOPLE - 1]) {
    const { body } = await api('GET', `/v1/contacts/${before(n)}`)
    expect(body).toMatchObject({ phone: now(n), name: `Person ${n}`, opted_out: true })
  }
  const db = new Database(database, { readonly: true })
  const count = (table: string) => db.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get()
  expect([count('contacts'), count('opt_outs'), count('person_rekeyings')]).toEqual([PEOPLE, PEOPLE, 0])
  await until('all chats', () => leftChats() === 0 || undefined, 240_000)
  expect([count('messages'), count('chat_moves')]).toEqual([2 * CHATS, 0])
  db.close()
  await service.end('SIGTERM')
})
