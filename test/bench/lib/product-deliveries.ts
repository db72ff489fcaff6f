import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { systemClock } from '../../../main/kernel/clock.ts'
import { createIds, systemRandom } from '../../../main/kernel/ids.ts'
import { callerOf, createKey, startService } from './service.ts'

/** Far above the sequence numbers that the service assigns, which start at 1. */
const FIRST_SEQ = 1_000_000_000
const TOGETHER = 500
/** While the backlog is being written, its due time is this far away. Then all of it becomes due after MOMENT_MS. */
const FAR_MS = 3_600_000
const MOMENT_MS = 500

/**
 * The built service with one webhook for the receiver, and a function that creates a backlog whose deliveries become
 * due simultaneously.
 */
export async function startDeliveringProduct(needs: { port: number; authorityFile: string; inFlight: number }) {
  const home = mkdtempSync(join(tmpdir(), 'bench-deliveries-'))
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ 'egress.trusted_ranges': ['127.0.0.1/32'] }))
  const { program, url } = await startService(home, { NODE_EXTRA_CA_CERTS: needs.authorityFile })
  const call = callerOf(url, createKey(home))
  const receiver = `https://127.0.0.1:${needs.port}/hook`
  const { id, secret } = await call('POST', '/v1/webhooks', {
    url: receiver,
    events: ['message.received'],
    max_in_flight: needs.inFlight,
  })
  const db = new Database(join(home, 'switchboard.db'))
  db.pragma('synchronous = OFF')
  const { seq: webhook } = db.prepare('SELECT seq FROM webhooks WHERE id = ?').get(id) as { seq: number }
  const write = backlogWriter(db)
  const open = db
    .prepare(
      'SELECT EXISTS (SELECT 1 FROM deliveries WHERE webhook_seq = ? AND lane >= 0 AND next_attempt_at IS NOT NULL)',
    )
    .pluck()
  const failed = db
    .prepare("SELECT COUNT(*) FROM deliveries WHERE webhook_seq = ? AND (status <> 'delivered' OR attempts <> 1)")
    .pluck()
  const setDue = db.prepare('UPDATE deliveries SET next_attempt_at = ? WHERE seq >= ? AND seq < ?')
  let made = 0
  return {
    program,
    secret: String(secret),
    /** Written directly to the database while nothing is due. @returns when the whole backlog becomes due. */
    load(count: number): number {
      const [first, end] = [FIRST_SEQ + made, FIRST_SEQ + made + count]
      for (let seq = first; seq < end; seq += TOGETHER) {
        write({ first: seq, count: Math.min(TOGETHER, end - seq), webhook, dueMs: Date.now() + FAR_MS })
      }
      made += count
      const dueMs = Date.now() + MOMENT_MS
      setDue.run(dueMs, first, end)
      return dueMs
    },
    /** Resolves when every result is on disk. */
    async settled(): Promise<void> {
      while (open.get(webhook) === 1) await new Promise((resolve) => setTimeout(resolve, 5))
      const wrong = failed.get(webhook)
      if (wrong !== 0) throw new Error(`${String(wrong)} were not delivered at their first attempt`)
    },
    async stop(): Promise<void> {
      db.close()
      await program.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Writes the same rows as the service, except for the due time. */
function backlogWriter(db: Database.Database) {
  const ids = createIds(systemClock, systemRandom)
  const addEvent =
    db.prepare(`INSERT INTO events (seq, event_id, account_seq, instance_seq, type, created_at, head, tail)
    VALUES (?, ?, 1, 1, 'message.received', ?, ?, ?)`)
  const addDelivery = db.prepare(`INSERT INTO deliveries (seq, id, account_seq, webhook_seq, event_seq, instance_seq,
      event_type, status, next_attempt_at, gap_ms, created_at, updated_at)
    VALUES (?, ?, 1, ?, ?, 1, 'message.received', 'pending', ?, ${FAR_MS}, ?, ?)`)
  return db.transaction(({ first, count, webhook, dueMs }: Record<'first' | 'count' | 'webhook' | 'dueMs', number>) => {
    for (let seq = first; seq < first + count; seq++) {
      const [eventId, now] = [ids.event(), Date.now()]
      const head = `{"event_id":"${eventId}","type":"message.received","attempt":`
      addEvent.run(seq, eventId, now, head, TAIL)
      addDelivery.run(seq, ids.delivery(), webhook, seq, dueMs, now, now)
    }
  })
}

const TAIL = `,${JSON.stringify({
  created_at: '2026-01-05T12:00:00.000Z',
  account_id: '5e0f2d3a-3f0c-4f0b-8c9e-0e8b7d1c2a3b',
  instance: { id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60', external_ref: 'crm-1', metadata: null, engine: 'smv2' },
  data: {
    message_id: 'msg_01KA1F9DE28E37836B983D3CD3',
    chat: '12025550123',
    from: '12025550123',
    from_me: false,
    push_name: 'Ana Souza',
    text: 'Good morning! Can I still change the delivery address of my order 12345? We moved last week.',
  },
}).slice(1)}`
