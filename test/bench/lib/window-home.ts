import { join } from 'node:path'
import Database from 'better-sqlite3'
import { systemClock } from '../../../main/kernel/clock.ts'
import { createIds, systemRandom } from '../../../main/kernel/ids.ts'

/** The data of the window: a large agency, and a conversation that has lasted for years. */
export const WINDOW_SIZES = { instances: 10_000, messages: 100_000 } as const

const CHAT = '12025550190'
const MINUTE_MS = 60_000
/** With none of these states does an engine start the instance together with the service. */
const STATUSES = ['created', 'disconnected', 'auth_failed', 'passkey_required'] as const
const SAID = [
  'Good morning! Can I still change the delivery address of my order 12345?',
  'Yes.',
  'We moved last week, and the parcel would stand in front of the old door. The new address is 12 Harbour Road, second floor, and the bell says Souza.',
  'Thank you! 🙏',
] as const

/** Fills a home whose service is not running. @returns where the long conversation is. */
export function fillWindowHome(home: string, nowMs: number): { readonly instance: string; readonly chat: string } {
  const db = new Database(join(home, 'switchboard.db'))
  let clockMs = nowMs - WINDOW_SIZES.messages * MINUTE_MS
  const ids = createIds({ ...systemClock, now: () => clockMs }, systemRandom)
  const { id: account } = db.prepare('SELECT id FROM accounts LIMIT 1').get() as { id: string }
  const made: string[] = []

  const addInstance =
    db.prepare(`INSERT INTO instances (id, account_id, name, instance_name, engine, network, external_ref,
      status, status_at, phone_number, profile_name, created_at, updated_at)
    VALUES (?, ?, ?, ?, 'smv2', 'sandbox', ?, ?, ?, ?, 'Acme', ?, ?)`)
  const addSubject = db.prepare('INSERT INTO subjects (seq, id) SELECT COALESCE(MAX(seq), 0) + 1, ? FROM subjects')
  const addMessage =
    db.prepare(`INSERT INTO messages (seq, id, account_id, instance_id, engine, direction, chat, sender,
      type, text, status, source, engine_message_id, push_name, is_group, created_at, sent_at)
    VALUES (?, ?, ?, ?, 'smv2', ?, ?, ?, 'text', ?, ?, ?, ?, ?, 0, ?, ?)`)
  const fill = db.transaction(() => {
    for (let n = 0; n < WINDOW_SIZES.instances; n++) {
      clockMs += MINUTE_MS
      const id = ids.instance()
      const status = STATUSES[n % STATUSES.length]
      const number = status === 'disconnected' ? String(12_025_000_000 + n) : null
      addInstance.run(id, account, `Client ${n}`, `line-${n}`, `crm-${n}`, status, clockMs, number, clockMs, clockMs)
      addSubject.run(id)
      made.push(id)
    }
    for (let seq = 1; seq <= WINDOW_SIZES.messages; seq++) {
      const isOurs = seq % 3 === 0
      const [status, source, sentAt] = isOurs ? ['sent', 'api', clockMs] : [null, null, null]
      const [sender, name] = isOurs ? [null, null] : [CHAT, 'Ana Souza']
      const text = `${SAID[seq % SAID.length]} (${seq})`
      const about = [ids.message(), account, made[0], isOurs ? 'out' : 'in', CHAT, sender, text, status, source]
      addMessage.run(seq, ...about, `3EB0${seq}`, name, clockMs, sentAt)
      clockMs += MINUTE_MS
    }
    const count = db.prepare('UPDATE accounts SET instances_made = ?, instances_live = ?, change_at = ? WHERE id = ?')
    count.run(made.length, made.length, clockMs, account)
    for (const name of ['messages', 'subjects'])
      db.prepare(
        `INSERT INTO counters (name, value) SELECT ?, MAX(seq) FROM ${name} WHERE true
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      ).run(name)
  })
  fill()
  db.close()
  return { instance: made[0] ?? '', chat: CHAT }
}
