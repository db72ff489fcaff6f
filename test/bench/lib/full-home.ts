import { join } from 'node:path'
import Database from 'better-sqlite3'
import { systemClock } from '../../../main/kernel/clock.ts'
import { createIds, systemRandom, type Ids } from '../../../main/kernel/ids.ts'
import { hashKey, newKey } from '../../../main/kernel/keys.ts'

/** `ROWS` is the number of deliveries of the large account. The full run has 5,000,000. */
const ROWS = Number(process.env['ROWS'] ?? 1_000_000)

/**
 * Row counts of the large account. The medium account has a twentieth of its instances and 5 % of its events; the
 * small one has forty instances.
 */
export const SIZES = {
  instances: Math.min(100_000, ROWS / 10),
  events: ROWS / 2,
  deliveries: ROWS,
  messages: Math.min(300_000, ROWS / 4),
} as const

/** The ids that a program needs to query a full home. */
export interface FullHome {
  readonly smallKey: string
  readonly busyInstance: string
  /** Its only event is the oldest of the account. */
  readonly quietInstance: string
  readonly externalRef: string
  readonly webhooks: {
    /** Receives every event. */
    readonly all: string
    /** Receives only `message.received`. */
    readonly inbox: string
    /** Received the oldest event and nothing since. */
    readonly silent: string
    /** Never received anything. */
    readonly unused: string
  }
  readonly messages: readonly { readonly id: string; readonly instanceId: string; readonly key: string }[]
  readonly startMs: number
}

const DAY_MS = 86_400_000
const PERIOD_MS = 6 * DAY_MS
const SMALL_SHARE = { middle: 0.05, small: 0.0001 }

/**
 * In percent. In addition, `instance.auth_failed` is only the oldest event of the large account, and
 * `instance.deleted` does not occur.
 */
const TYPES = [
  ['message.received', 35],
  ['message.sent', 20],
  ['message.delivered', 20],
  ['message.read', 15],
  ['instance.connecting', 3],
  ['instance.connected', 2.5],
  ['instance.disconnected', 2.5],
  ['instance.qr.updated', 1],
  ['message.failed', 1],
] as const

/** With none of these states does an engine start the instance together with the service. */
const STATUSES = ['created', 'disconnected', 'auth_failed', 'passkey_required'] as const

interface Account {
  readonly id: string
  readonly seq: number
  readonly instances: readonly { readonly id: string; readonly seq: number }[]
}

interface Fill {
  readonly db: Database.Database
  readonly ids: Ids
  readonly startMs: number
  /** Moves the clock of the ids to this share of the period. */
  readonly at: (share: number) => number
  readonly random: () => number
}

/**
 * Fills the database of a home whose service is not running. All indexes exist from the start, so that their pages
 * are distributed as in a database that has grown.
 */
export function fillHome(home: string, key: string, nowMs: number): FullHome {
  const db = new Database(join(home, 'switchboard.db'))
  const pragmas = ['journal_mode = WAL', 'synchronous = OFF', 'foreign_keys = OFF', 'cache_size = -2097152']
  for (const pragma of pragmas) db.pragma(pragma)
  const startMs = nowMs - PERIOD_MS
  let clockMs = startMs
  const at = (share: number) => (clockMs = Math.floor(startMs + share * (PERIOD_MS - 60_000)))
  const ids = createIds({ ...systemClock, now: () => clockMs }, systemRandom)
  try {
    return db.transaction(() => fillAll({ db, ids, startMs, at, random: evenly() }, key))()
  } finally {
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
  }
}

function fillAll(fill: Fill, key: string): FullHome {
  const { db, ids, startMs } = fill
  const byKey = db.prepare<[Buffer], { id: string }>('SELECT account_id AS id FROM api_keys WHERE hash = ?')
  const owner = byKey.get(hashKey(key))?.id ?? ''
  const addAccount = db.prepare('INSERT INTO accounts (id, name, change_at, created_at) VALUES (?, ?, ?, ?)')
  const addKey = db.prepare(`INSERT INTO api_keys (id, account_id, name, hash, last4, scopes, created_at)
    SELECT ?, ?, name, ?, ?, scopes, created_at FROM api_keys LIMIT 1`)
  const [middle, small, smallKey] = [ids.account(), ids.account(), newKey(systemRandom)]
  for (const id of [middle, small]) addAccount.run(id, 'Another', startMs + PERIOD_MS, startMs)
  addKey.run(ids.key(), small, hashKey(smallKey.open()), smallKey.last4)
  const accounts = [
    addInstances(fill, owner, SIZES.instances),
    addInstances(fill, middle, SIZES.instances / 20),
    addInstances(fill, small, 40),
  ]
  const [all = '', inbox = '', silent = '', unused = ''] = addWebhooks(fill, [owner, middle, small])
  addEvents(fill, accounts)
  const [large] = accounts
  const messages = addMessages(fill, large?.instances.filter((_, i) => i % 50 !== 49) ?? [])
  for (const name of ['events', 'deliveries', 'messages', 'subjects']) {
    db.prepare(
      `INSERT INTO counters (name, value) SELECT ?, MAX(seq) FROM ${name} WHERE true
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    ).run(name)
  }
  const [quiet, busy] = large?.instances ?? []
  const webhooks = { all, inbox, silent, unused }
  const [busyInstance, quietInstance] = [busy?.id ?? '', quiet?.id ?? '']
  return {
    smallKey: smallKey.open(),
    busyInstance,
    quietInstance,
    externalRef: 'crm-77777',
    webhooks,
    messages,
    startMs,
  }
}

/** Every fiftieth instance is deleted, and every twentieth is an official one. */
function addInstances({ db, ids, at, startMs }: Fill, accountId: string, count: number): Account {
  const add = db.prepare(`INSERT INTO instances (id, account_id, name, instance_name, engine, network, external_ref,
      metadata, status, status_at, phone_number, profile_name, created_at, updated_at, deleted_at)
    VALUES (?, ?, ?, ?, ?, 'sandbox', ?, '{"tenant":"acme","region":"sa-east"}', ?, ?, ?, 'Acme', ?, ?, ?)`)
  const addSubject = db.prepare('INSERT INTO subjects (seq, id) VALUES (?, ?)')
  const last = db.prepare('SELECT COALESCE(MAX(seq), 0) AS seq FROM subjects').get() as { seq: number }
  let subjects = last.seq
  const seq = ++subjects
  addSubject.run(seq, accountId)
  const instances = Array.from({ length: count }, (_, i) => {
    const createdAt = at(i / count)
    const id = ids.instance()
    // The order differs from the order of creation, and no value occurs twice, because 7919 is prime.
    const changedAt = startMs + ((i * 7_919) % count) * Math.floor(PERIOD_MS / count)
    const engine = i % 20 === 7 ? 'official' : 'smv2'
    const words = [id, accountId, `Line ${i}`, `line-${i}`, engine, `crm-${i}`, STATUSES[i % 4]] as const
    const deletedAt = i % 50 === 49 ? changedAt : null
    add.run(...words, createdAt, String(12_025_550_000 + i), createdAt, changedAt, deletedAt)
    addSubject.run(++subjects, id)
    return { id, seq: subjects }
  })
  db.prepare('UPDATE accounts SET instances_made = ?, instances_live = ? WHERE id = ?').run(
    count,
    count - Math.floor(count / 50),
    accountId,
  )
  return { id: accountId, seq, instances }
}

/**
 * All webhooks are paused, so that nothing is delivered during the measurement. @returns the ids of the first
 * account's ten webhooks.
 */
function addWebhooks({ db, ids, startMs }: Fill, [owner, ...others]: readonly string[]): string[] {
  const add = db.prepare(`INSERT INTO webhooks (seq, id, account_id, url, events, max_in_flight, state, state_since,
      secret_enc, secret_last4, created_at, updated_at)
    VALUES (?, ?, ?, 'https://catcher.sandbox/bench', '["*"]', 8, 'paused', ?, x'00', 'abcd', ?, ?)`)
  const made = Array.from({ length: 10 }, (_, i) => {
    const id = ids.webhook()
    add.run(i + 1, id, owner, startMs + PERIOD_MS, startMs, startMs)
    return id
  })
  others.forEach((account, i) => add.run(11 + i, ids.webhook(), account, startMs + PERIOD_MS, startMs, startMs))
  return made
}

const ALL = 1
const INBOX = 2
const SILENT = 3

/** Two deliveries for each event of the large account, one for each event of the others. */
function addEvents(fill: Fill, [large, middle, small]: readonly Account[]): void {
  const { at, random } = fill
  if (!large || !middle || !small) throw new Error('three accounts are filled')
  const [recordEvent, owe] = [writeEvent(fill), writeDelivery(fill)]
  for (let i = 0; i < SIZES.events; i++) {
    const createdAt = at(i / SIZES.events)
    const type = i === 0 ? 'instance.auth_failed' : typeAt(random() * 100)
    const event = { account: large, instance: instanceAt(large, i, random), type, createdAt }
    const seq = recordEvent(event)
    owe({ ...event, eventSeq: seq, webhook: ALL })
    owe({ ...event, eventSeq: seq, webhook: i === 0 ? SILENT : second(type, i) })
    for (const [account, share, webhook] of [
      [middle, SMALL_SHARE.middle, 11],
      [small, SMALL_SHARE.small, 12],
    ] as const) {
      if (i > 0 && random() >= share) continue
      const other = { account, instance: instanceAt(account, i, random), type, createdAt }
      owe({ ...other, eventSeq: recordEvent(other), webhook })
    }
  }
}

const second = (type: string, i: number) => (type === 'message.received' ? INBOX : 5 + (i % 6))

/**
 * The first instance has the oldest event, and the second has a tenth of all events. Half of the rest belongs to a
 * fiftieth of the instances.
 */
function instanceAt({ instances }: Account, i: number, random: () => number): number {
  const chance = random()
  const among = chance < 0.55 ? instances.length / 50 : instances.length
  const index = i === 0 ? 0 : chance < 0.1 ? 1 : 2 + Math.floor(random() * (Math.max(3, among) - 2))
  return instances[index]?.seq ?? 0
}

function typeAt(percent: number): string {
  let left = percent
  for (const [type, share] of TYPES) if ((left -= share) < 0) return type
  return TYPES[0][0]
}

interface Happening {
  readonly account: Account
  readonly instance: number
  readonly type: string
  readonly createdAt: number
}

const DATA = JSON.stringify({
  message_id: 'msg_01KA1F9DE28E37836B983D3CD3',
  chat: '12025550123',
  from: '12025550123',
  from_me: false,
  push_name: 'Ana Souza',
  text: 'Good morning! Can I still change the delivery address of my order 12345? We moved last week.',
  occurred_at: '2026-01-05T12:00:00.000Z',
  sequence: 12_345,
})

function writeEvent({ db, ids }: Fill): (event: Happening) => number {
  const add = db.prepare(`INSERT INTO events (seq, event_id, account_seq, instance_seq, type, created_at, head, tail)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  let seq = 0
  return ({ account, instance, type, createdAt }) => {
    const id = ids.event()
    const head = `{"event_id":"${id}","type":"${type}","attempt":`
    const about = '{"id":"0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60","external_ref":"crm-1","metadata":null,"engine":"smv2"}'
    const times = `"created_at":"2026-01-05T12:00:00.000Z","account_id":"${account.id}"`
    add.run(++seq, id, account.seq, instance, type, createdAt, head, `,${times},"instance":${about},"data":${DATA}}`)
    return seq
  }
}

/**
 * Of all deliveries, 97 % are delivered and 1.5 % exhausted. Of the deliveries of the last day, 3 % wait for a retry
 * and 6 % for their first attempt, which is 1 % of the total.
 */
function writeDelivery({ db, ids, startMs, random }: Fill) {
  const add =
    db.prepare(`INSERT INTO deliveries (seq, id, account_seq, webhook_seq, event_seq, instance_seq, event_type,
      status, attempts, counted, next_attempt_at, lane, delivered_at, last_status_code, last_error, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  let seq = 0
  return ({
    account,
    instance,
    type,
    createdAt,
    eventSeq,
    webhook,
  }: Happening & Record<'eventSeq' | 'webhook', number>) => {
    const about = [++seq, ids.delivery(), account.seq, webhook, eventSeq, instance, type] as const
    const chance = random()
    const isRecent = createdAt > startMs + PERIOD_MS - DAY_MS
    const due = createdAt + 3 * DAY_MS
    if (chance < 0.015 && webhook !== INBOX) {
      add.run(...about, 'exhausted', 8, 8, null, 1, null, 500, 'The receiver answered 500.', createdAt, createdAt)
    } else if (isRecent && chance < 0.045) {
      add.run(...about, 'failed', 1, 1, due, 1, null, 500, 'The receiver answered 500.', createdAt, createdAt)
    } else if (isRecent && chance < 0.105) {
      add.run(...about, 'pending', 0, 0, createdAt, 0, null, null, null, createdAt, createdAt)
    } else add.run(...about, 'delivered', 1, 0, null, 0, createdAt + 80, 200, null, createdAt, createdAt + 80)
  }
}

function addMessages({ db, ids, at, random }: Fill, instances: Account['instances']): FullHome['messages'] {
  const add = db.prepare(`INSERT INTO messages (seq, id, account_id, instance_id, engine, direction, chat, type, text,
      status, source, idem_key, engine_message_id, is_group, created_at, dispatch_started_at, sent_at)
    VALUES (?, ?, '', ?, 'smv2', 'out', ?, 'text', 'Your order 12345 is on its way.', 'sent', 'api', ?, ?, 0, ?, ?, ?)`)
  // These answers are older than a day, so only the id of the message is left of each key.
  const addKey =
    db.prepare(`INSERT INTO idempotency_keys (scope_id, key, fp, state, boot, subject_id, created_at, expires_at)
    VALUES (?, ?, x'', 'done', '', ?, ?, 0)`)
  const kept: { id: string; instanceId: string; key: string }[] = []
  for (let seq = 1; seq <= SIZES.messages; seq++) {
    const createdAt = at(seq / SIZES.messages)
    const [id, instanceId] = [ids.message(), instances[Math.floor(random() * instances.length)]?.id ?? '']
    const [chat, key] = [String(12_025_550_000 + (seq % 5_000)), `order-${seq}`]
    add.run(seq, id, instanceId, chat, key, `3EB0${seq}`, createdAt, createdAt, createdAt)
    addKey.run(instanceId, key, id, createdAt)
    if (seq % 300 === 0) kept.push({ id, instanceId, key })
  }
  return kept
}

/** A generator that returns the same numbers in every run. */
function evenly(): () => number {
  let state = 42
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
}
