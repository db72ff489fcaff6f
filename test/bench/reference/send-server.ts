import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

/**
 * What one Node process can do on this machine: key check with SHA-256, schema, the usual headers, and the five
 * statements of a send made durable with synchronous=FULL. It shares no code with the product. `node send-server.ts
 * grouped|single <key>`: one COMMIT for all requests of an event loop turn, or one COMMIT each.
 */
const [mode = 'grouped', key = ''] = process.argv.slice(2)
const dir = mkdtempSync(join(tmpdir(), 'bench-reference-'))
const db = new Database(join(dir, 'reference.db'))
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.pragma('cache_size = -65536')
db.exec(`
CREATE TABLE messages(seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, instance_seq INTEGER NOT NULL, to_number TEXT NOT NULL,
  kind TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE TABLE idempotency(instance_seq INTEGER NOT NULL, key TEXT NOT NULL, body_hash BLOB NOT NULL, message_seq INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, PRIMARY KEY(instance_seq, key)) WITHOUT ROWID;
CREATE TABLE events(seq INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, instance_seq INTEGER NOT NULL, type TEXT NOT NULL,
  created_at INTEGER NOT NULL, payload TEXT NOT NULL);
CREATE TABLE deliveries(seq INTEGER PRIMARY KEY, account_id INTEGER NOT NULL, webhook_seq INTEGER NOT NULL, instance_seq INTEGER NOT NULL,
  event_seq INTEGER NOT NULL, type TEXT NOT NULL, status INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE INDEX deliveries_due ON deliveries(webhook_seq, next_at) WHERE status = 0;`)

const findKey = db.prepare('SELECT message_seq FROM idempotency WHERE instance_seq = 1 AND key = ?')
const addMessage = db.prepare(
  "INSERT INTO messages(id,instance_seq,to_number,kind,body,status,created_at,updated_at) VALUES(?,1,?,'text',?,'queued',?,?)",
)
const addKey = db.prepare('INSERT INTO idempotency VALUES(1,?,?,?,?)')
const addEvent = db.prepare(
  "INSERT INTO events(account_id,instance_seq,type,created_at,payload) VALUES(1,1,'message.sent',?,?)",
)
const addDelivery = db.prepare(
  "INSERT INTO deliveries(account_id,webhook_seq,instance_seq,event_seq,type,status,next_at,updated_at) VALUES(1,1,1,?,'message.sent',0,?,?)",
)

interface Send {
  to: string
  text: string
}
const hash = Buffer.alloc(32, 7)

function fiveStatements(id: string, body: Send): void {
  const now = Date.now()
  if (findKey.get(id) !== undefined) throw new Error('replay')
  const message = addMessage.run(id, body.to, body.text, now, now).lastInsertRowid
  addKey.run(id, hash, message, now + 86_400_000)
  const event = addEvent.run(now, body.text).lastInsertRowid
  addDelivery.run(event, now, now)
}

const single = db.transaction(fiveStatements)
const begin = db.prepare('BEGIN IMMEDIATE')
const commit = db.prepare('COMMIT')
let waiting: { id: string; body: Send; done: () => void }[] = []

function flush(): void {
  const group = waiting
  waiting = []
  begin.run()
  for (const { id, body } of group) fiveStatements(id, body)
  commit.run()
  for (const { done } of group) done()
}

function grouped(id: string, body: Send): Promise<void> {
  return new Promise((done) => {
    if (waiting.push({ id, body, done }) === 1) setImmediate(flush)
  })
}

const keys = new Map([[createHash('sha256').update(key).digest('base64'), { tokens: 1e12, limit: 1_000_000 }]])
const app = Fastify({ logger: false })
app.addHook('onRequest', (request, reply, done) => {
  const token = request.headers.authorization?.slice('Bearer '.length) ?? ''
  const found = keys.get(createHash('sha256').update(token).digest('base64'))
  if (found === undefined) return void reply.code(401).send({ error: { code: 'unauthorized' } })
  reply
    .header('x-request-id', randomUUID())
    .header('x-ratelimit-limit', found.limit)
    .header('x-ratelimit-remaining', --found.tokens)
  done()
})
const schema = {
  body: {
    type: 'object',
    required: ['to', 'text'],
    additionalProperties: false,
    properties: {
      to: { type: 'string', pattern: '^[0-9]{7,15}$' },
      text: { type: 'string', minLength: 1, maxLength: 65_536 },
    },
  },
  response: {
    201: {
      type: 'object',
      properties: { engine: { type: 'string' }, sent: { type: 'boolean' }, message_id: { type: 'string' } },
    },
  },
}
app.post<{ Body: Send }>('/v1/instances/:id/messages', { schema }, async (request, reply) => {
  const id = randomUUID()
  if (mode === 'grouped') await grouped(id, request.body)
  else single(id, request.body)
  return reply.code(201).send({ engine: 'smv2', sent: true, message_id: id })
})
await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` }))
process.on('SIGTERM', () => {
  db.close()
  rmSync(dir, { recursive: true, force: true })
  process.exit(0)
})
