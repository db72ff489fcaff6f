import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { answerAs } from '../lib/peer.ts'
import { payloads, signedPost } from './signed-post.ts'

/**
 * What one Node process can deliver on this machine: 256 due rows claimed in one commit, a signed POST each, and the
 * results of a few milliseconds in one commit, synchronous=FULL. It shares no code with the product and has none of its
 * rules: one webhook, one outcome, no fairness, no guard on addresses.
 */
const [port, inFlightMost] = [Number(process.env['PORT']), Number(process.env['IN_FLIGHT'])]
const BATCH = 256
const RESULTS_AT_ONCE = 64
const RESULTS_MS = 4
const LEASE_MS = 60_000

const dir = mkdtempSync(join(tmpdir(), 'bench-pipeline-'))
const db = new Database(join(dir, 'pipeline.db'))
for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'cache_size = -65536', 'temp_store = MEMORY']) {
  db.pragma(pragma)
}
db.exec(`
CREATE TABLE events(seq INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, instance_seq INTEGER NOT NULL, type TEXT NOT NULL,
  created_at INTEGER NOT NULL, payload TEXT NOT NULL);
CREATE TABLE deliveries(seq INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, webhook_seq INTEGER NOT NULL, instance_seq INTEGER NOT NULL,
  event_seq INTEGER NOT NULL, type TEXT NOT NULL, status INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE INDEX deliveries_due ON deliveries(webhook_seq, next_at) WHERE status = 0;
CREATE TABLE attempts(delivery_seq INTEGER NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, ms INTEGER NOT NULL,
  http_status INTEGER, PRIMARY KEY(delivery_seq, n)) WITHOUT ROWID;`)

interface Row {
  seq: number
  event_seq: number
  attempts: number
  payload: string
}
interface Result {
  row: Row
  startedMs: number
  endedMs: number
  status: number
}

const addEvent = db.prepare(
  "INSERT INTO events(account_id,instance_seq,type,created_at,payload) VALUES(1,1,'message.received',?,?)",
)
const addDelivery = db.prepare(
  "INSERT INTO deliveries(account_id,webhook_seq,instance_seq,event_seq,type,status,next_at,updated_at) VALUES(1,1,1,?,'message.received',0,?,?)",
)
const lease = db.prepare<[number, number, number], Row>(`UPDATE deliveries SET next_at = ? WHERE seq IN
  (SELECT seq FROM deliveries WHERE webhook_seq = 1 AND status = 0 AND next_at <= ? ORDER BY next_at LIMIT ?)
  RETURNING seq, event_seq, attempts`)
const payloadOf = db.prepare<[number], string>('SELECT payload FROM events WHERE seq = ?').pluck()
const addAttempt = db.prepare('INSERT INTO attempts(delivery_seq,n,at,ms,http_status) VALUES(?,?,?,?,?)')
const settle = db.prepare('UPDATE deliveries SET status = 1, attempts = ?, updated_at = ? WHERE seq = ?')

const enqueue = db.transaction((texts: readonly string[]) => {
  for (const text of texts) {
    const now = Date.now()
    addDelivery.run(addEvent.run(now, text).lastInsertRowid, now, now)
  }
})
const claim = db.transaction((now: number) => {
  const rows = lease.all(now + LEASE_MS, now, BATCH)
  for (const row of rows) row.payload = payloadOf.get(row.event_seq) ?? ''
  return rows
})
const record = db.transaction((results: readonly Result[]) => {
  for (const { row, startedMs, endedMs, status } of results) {
    addAttempt.run(row.seq, row.attempts + 1, startedMs, endedMs - startedMs, status)
    settle.run(row.attempts + 1, endedMs, row.seq)
  }
})

/** Resolves when no delivery is due and every result is on disk. */
function drain(post: ReturnType<typeof signedPost>): Promise<undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  let claimed: Row[] = []
  const results: Result[] = []
  let inFlight = 0
  let isEmpty = false
  let isFlushing = false
  const flush = () => {
    isFlushing = false
    record(results.splice(0))
    pump()
  }
  const ended = (result: Result) => {
    inFlight--
    results.push(result)
    if (!isFlushing) {
      isFlushing = true
      if (results.length >= RESULTS_AT_ONCE) setImmediate(flush)
      else setTimeout(flush, RESULTS_MS)
    }
    pump()
  }
  const start = (row: Row) => {
    inFlight++
    const startedMs = Date.now()
    post(row.payload, row.attempts + 1).then((status) => ended({ row, startedMs, endedMs: Date.now(), status }), reject)
  }
  const pump = () => {
    if (claimed.length === 0 && !isEmpty) {
      claimed = claim(Date.now()).reverse()
      isEmpty = claimed.length === 0
    }
    while (inFlight < inFlightMost && claimed.length > 0) start(claimed.pop() as Row)
    if (isEmpty && inFlight === 0 && !isFlushing) resolve(undefined)
  }
  pump()
  return promise
}

const post = signedPost(port, process.env['SECRET'] ?? '', inFlightMost)
answerAs(
  {
    load({ count, together }: { count: number; together: number }) {
      const texts = payloads(count)
      for (let i = 0; i < count; i += together) enqueue(texts.slice(i, i + together))
    },
    drain: () => drain(post),
  },
  () => {
    db.close()
    rmSync(dir, { recursive: true, force: true })
  },
)
