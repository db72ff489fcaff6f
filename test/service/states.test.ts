import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import { JOB_KINDS } from '../../main/contract/job-kinds.ts'
import type { Operation } from '../../main/contract/operation.ts'
import { campaignOf, phonesFrom } from '../capabilities/campaigns/campaign-world.ts'
import { fakeClock } from '../support/clock.ts'
import { tempFolder, testDatabase } from '../support/database.ts'
import { world, type World } from '../support/world.ts'
import { STATES, type Owner } from './state-owners.ts'

const SECOND = 1_000
const HOUR = 3_600_000

const owners = Object.entries(STATES).flatMap(([column, { open }]) =>
  Object.entries(open).flatMap(([state, list]) => list.map((owner) => ({ column, state, owner }))),
)
const operations = CONTRACTS.flatMap(({ operations: own }) => Object.values<Operation>(own)).map(({ id }) => id)

test('every state of the schema is declared', async () => {
  const { raw, close } = await testDatabase()
  onTestFinished(close)
  const tables = raw.prepare(`SELECT name, sql FROM sqlite_master WHERE type = 'table'`).all() as {
    name: string
    sql: string
  }[]
  const found = new Map<string, readonly string[] | undefined>()
  for (const { name, sql } of tables)
    for (const [, column = ''] of sql.matchAll(/\b((?:\w+_)?(?:state|status|outcome)) TEXT\b/g)) {
      const check = new RegExp(`\\b${column} TEXT[^,]*?CHECK \\(${column} IN\\s*\\(([^)]*)\\)`).exec(sql)?.[1]
      found.set(
        `${name}.${column}`,
        check === undefined ? undefined : [...check.matchAll(/'([^']+)'/g)].map(([, word = '']) => word).toSorted(),
      )
    }
  expect([...found.keys()].toSorted()).toEqual(Object.keys(STATES).toSorted())
  for (const [column, states] of found) {
    const { final = [], open = {} } = STATES[column] ?? {}
    if (states !== undefined && !final.includes('*'))
      expect([...final, ...Object.keys(open)].toSorted(), column).toEqual(states)
  }
})

test('every owner has an operation, a job and a test', () => {
  const isThere: { [By in Owner['by']]: (owner: Extract<Owner, { by: By }>) => boolean } = {
    person: ({ operation }) => operations.includes(operation),
    job: ({ kind, test: file }) => kind in JOB_KINDS && (file === 'here' || existsSync(file)),
    sweep: ({ test: file }) => existsSync(file),
    process: ({ test: file }) => existsSync(file),
    start: () => true,
  }
  const missing = owners.filter(({ owner }) => !isThere[owner.by](owner as never))
  expect(missing).toEqual([])
})

test('no state needs a restart to end', () => {
  const found = Object.entries(STATES).flatMap(([column, { open }]) =>
    Object.entries(open).flatMap(([state, list]) =>
      list.every(({ by }) => by === 'start') ? [`${column} ${state}`] : [],
    ),
  )
  expect(found).toEqual([])
})

test('every kind of job belongs to a room', () => {
  const source = globSync('main/{capabilities,simulators}/**/*.ts').map((file) => readFileSync(file, 'utf8'))
  const missing = Object.keys(JOB_KINDS).filter((kind) => !source.some((text) => text.includes(`name: '${kind}'`)))
  expect(missing).toEqual([])
})

/** What a killed process left, by hand. */
type Leave = (raw: Database.Database) => void

/**
 * Prepares a home, stops the service, leaves something unfinished in its database, starts the service again and lets
 * time pass.
 */
async function afterKill<T>(prepare: (w: World) => Promise<T>, leave: (raw: Database.Database, made: T) => void) {
  const home = tempFolder()
  const clock = fakeClock()
  const first = await world({ home, clock })
  const made = await prepare(first)
  await first.quiet()
  await first.close()
  const raw = new Database(join(home, 'switchboard.db'))
  leave(raw, made)
  raw.close()
  const w = await world({ home, clock, seed: 2 })
  await w.pass(30 * SECOND)
  return { w, made }
}

const leaseJob = (raw: Database.Database, kind: string, subject: string, input: object) => {
  raw
    .prepare(
      `INSERT INTO jobs (seq, kind, subject_id, lane, input, state, run_at, attempt, failures, lease_owner, created_at)
       VALUES (?, ?, ?, '', ?, 'running', 0, 1, 0, 'killed', 0)`,
    )
    .run(
      900_000 + Math.floor(raw.prepare('SELECT COUNT(*) AS n FROM jobs').pluck().get() as number),
      kind,
      subject,
      JSON.stringify(input),
    )
  const account = raw.prepare('SELECT id FROM accounts').pluck().get() as string
  raw.prepare(`INSERT INTO job_lanes VALUES (?, ?, '', ?, 'open', NULL, 0, 1, 0, 0, 0)`).run(kind, subject, account)
}

describe('D-11 after a kill', () => {
  test('a running job runs again and ends', async () => {
    const { w } = await afterKill(
      async () => {},
      (raw) => leaseJob(raw, 'campaigns.control', 'cmp_gone', { act: 'give_up', sinceMs: 1 }),
    )
    expect(await w.rows('SELECT state FROM jobs')).toEqual([{ state: 'done' }])
  })

  test('an approved call has an unknown outcome', async () => {
    const { w } = await afterKill(
      async () => {},
      (raw) =>
        raw.exec(
          `INSERT INTO approvals (id, account_id, key_id, key_name, operation, tool, arguments, shown, sentence, fingerprint,
             repeatable, state, boot, created_at, expires_at, decided_at)
           SELECT 'apr_1', id, 'key_1', 'Assistant', 'sendMessage', 'send_message', x'00', '{}', 'Send', x'00', 0, 'approved',
             'killed', 0, 0, 0 FROM accounts`,
        ),
    )
    const [row] = await w.rows<{ state: string; answer: string }>('SELECT state, answer FROM approvals')
    expect(row?.state).toBe('executed')
    expect(row?.answer).toContain('Whether it was done is not known')
  })

  test('a document that was being read ends, also if its file is gone', async () => {
    const { w, made } = await afterKill(
      (w) => w.pair(),
      (raw, { id }) => {
        raw
          .prepare(
            `INSERT INTO ai_documents (seq, id, instance_id, account_id, name, mime_type, size, file_id, status, created_at)
             SELECT 1, 'doc_1', ?, id, 'a.txt', 'text/plain', 1, 'file_gone', 'processing', 0 FROM accounts`,
          )
          .run(id)
        leaseJob(raw, 'ai-knowledge.read', id as string, { instanceId: id, documentId: 'doc_1' })
      },
    )
    const [row] = await w.rows<{ status: string; error: string }>('SELECT status, error FROM ai_documents')
    expect(row?.status, made.id).toBe('failed')
    expect(row?.error).toContain('upload the file again')
  })

  test('an evaluation run ends if its agent is gone', async () => {
    const { w } = await afterKill(
      (w) => w.pair(),
      (raw, { id }) => {
        const cases = JSON.stringify([{ question: 'Hello', expect: {} }])
        raw
          .prepare(
            `INSERT INTO ai_evaluation_runs (seq, id, evaluation_seq, instance_id, account_id, agent_id, agent_name, status,
               cases, total, created_at)
             SELECT 1, 'run_1', 1, ?, id, 'agent_gone', 'Agent', 'running', ?, 1, 0 FROM accounts`,
          )
          .run(id, cases)
        const account = raw.prepare('SELECT id FROM accounts').pluck().get()
        leaseJob(raw, 'ai-evaluations.run', 'run_1', { runId: 'run_1', instanceId: id, accountId: account })
      },
    )
    const [row] = await w.rows<{ status: string; error: string }>('SELECT status, error FROM ai_evaluation_runs')
    expect(row).toMatchObject({ status: 'failed', error: 'The agent was deleted.' })
  })

  test.each(['dialing', 'ringing', 'in_progress', 'scheduled'])('a call that was %s ends', async (status) => {
    const { w } = await afterKill(
      (w) => w.pair(),
      (raw, { id }) =>
        raw
          .prepare(
            `INSERT INTO voice_calls (seq, id, account_id, instance_id, to_number, direction, source, gateway, status,
               scheduled_at, created_at)
             SELECT 1, 'call_1', id, ?, '12025550101', 'outbound', 'api', 'sandbox', ?, 0, 0 FROM accounts`,
          )
          .run(id, status),
    )
    const [row] = await w.rows<{ status: string }>('SELECT status FROM voice_calls')
    expect(STATES['voice_calls.status']?.final).toContain(row?.status)
  })

  test('recipients that were being added or sent to do not block their campaign', async () => {
    const phones = phonesFrom(3)
    const { w, made } = await afterKill(
      async (w) => {
        const instances = [await w.pair()]
        const wish = { instances, phones }
        return {
          draft: await campaignOf(w, { ...wish, start: false }),
          other: await campaignOf(w, { ...wish, start: false }),
        }
      },
      (raw, { draft, other }) => {
        raw.prepare('UPDATE campaigns SET loading = 1 WHERE id = ?').run(draft)
        raw.prepare('UPDATE campaigns SET loading = 2 WHERE id = ?').run(other)
      },
    )
    expect(await w.rows('SELECT id, loading FROM campaigns')).toEqual([{ id: made.draft, loading: 0 }])
    await w.api('POST', `/v1/campaigns/${made.draft}/start`)
    await w.pass(60 * SECOND)
    expect((await w.api('GET', `/v1/campaigns/${made.draft}`)).body.status).toBe('completed')
  })

  const unfinished: Leave = (raw) => {
    raw.exec(
      `INSERT INTO messages (seq, id, account_id, instance_id, engine, direction, chat, type, text, status, source, idem_key,
         is_group, created_at, dispatch_started_at)
       SELECT 500000, 'msg_never', account_id, id, engine, 'out', '12025550101', 'text', 'Hi', 'queued', 'api', 'never', 0,
         created_at, NULL FROM instances
       UNION ALL SELECT 500001, 'msg_perhaps', account_id, id, engine, 'out', '12025550101', 'text', 'Hi', 'queued', 'api',
         'perhaps', 0, created_at, created_at FROM instances`,
    )
    for (const key of ['never', 'perhaps'])
      raw
        .prepare(
          `INSERT INTO idempotency_keys SELECT id, ?, x'00', 'in_progress', 'killed', ?, NULL, NULL, created_at,
             created_at + 86400000 FROM instances`,
        )
        .run(key, `msg_${key}`)
  }

  test('a queued message and its key end: unsent ones are undone, others confirmed or given up', async () => {
    const { w } = await afterKill((w) => w.pair(), unfinished)
    w.clock.suspend(25 * HOUR)
    await w.pass(120 * SECOND)
    expect(await w.rows(`SELECT id, status FROM messages WHERE seq >= 500000`)).toEqual([
      { id: 'msg_perhaps', status: 'failed' },
    ])
    const held = await w.rows(`SELECT key FROM idempotency_keys WHERE state <> 'done' AND expires_at > :now`, {
      now: w.clock.now(),
    })
    expect(held).toEqual([])
  })

  test.each(['connecting', 'qr', 'passkey_required', 'recreating', 'connected'])(
    'an instance that was %s without a session becomes disconnected',
    async (status) => {
      const { w } = await afterKill(
        (w) => w.instance(),
        (raw) =>
          // One commit begins a recreation and says what is to be wiped.
          raw
            .prepare('UPDATE instances SET status = ?, discard = ?')
            .run(status, status === 'recreating' ? 'wipe' : null),
      )
      for (let i = 0; i < 10; i++) await w.pass(60 * SECOND)
      const [row] = await w.rows<{ status: string }>('SELECT status FROM instances')
      expect(['created', 'disconnected', 'auth_failed']).toContain(row?.status)
    },
  )
})
