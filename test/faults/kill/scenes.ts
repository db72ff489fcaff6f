import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { askRunningService, controlAddress } from '../../../main/faces/control.ts'
import { MIGRATIONS } from '../../../main/storage/migrations/index.ts'
import { pause, until } from '../../support/service-process.ts'
import { attempt, type KilledHome, type Stage } from './killed-home.ts'
import type { PointName } from './points.ts'

/** How a point is reached, and what a person would do after the kill. */
interface Scene {
  /** While nothing runs. */
  readonly prepare?: (home: KilledHome) => unknown
  /** Brings the service to the point. */
  readonly provoke: (stage: Stage) => Promise<unknown>
  /** With the built service, before it is waited for. */
  readonly afterwards?: (stage: Stage) => Promise<unknown>
}

const DAY_MS = 86_400_000
const SENDS = 12
/** A step that only adds can be taken back. What happens to a row once another is deleted is not done by the step. */
const CHANGES = /(?<!\bON )\b(?:DROP|RENAME|UPDATE|DELETE)\b/
/** The last step of the schema that is left in place. */
const OLDER_SCHEMA = MIGRATIONS.findLast(({ sql }) => CHANGES.test(sql))?.version ?? 1
/** Four chunks of events and four of deliveries: at each of its times `mid prune` is reached, on a new home too. */
const OLD_ROWS = 2_000

const sends = ({ api, home }: Stage) => home.send(api, SENDS)

const webhookOf = ({ webhook }: KilledHome) => `/v1/webhooks/${webhook}`

/** Repeats the call until it is answered as wished, as its caller would. */
const must = ({ api }: Stage, method: string, path: string, body: object) =>
  until(`${method} ${path}`, async () => {
    const answer = await attempt(api, method, path, body)
    return answer !== null && answer.status < 300 ? answer.body : undefined
  })

const replayAll = (stage: Stage) =>
  must(stage, 'POST', `${webhookOf(stage.home)}/replay`, { since: new Date(stage.home.sinceMs).toISOString() })

const isActive = async ({ api, home }: Stage): Promise<boolean> =>
  (await api('GET', webhookOf(home))).body.active as boolean

const SENDING: Scene = { provoke: sends }

export const SCENES: Readonly<Record<PointName, Scene>> = {
  'before claim commit': SENDING,
  'after claim commit': SENDING,
  'after send before result': SENDING,
  'mid group commit': SENDING,
  'between idempotency accept and engine call': SENDING,

  'mid migration': {
    prepare: ({ database }) => takeBack(database, OLDER_SCHEMA),
    // It dies before it listens.
    provoke: sends,
    afterwards: sends,
  },

  'mid prune': {
    prepare: fillWithOld,
    // Its disk is full, so that it removes what is old at once.
    provoke: ({ api }) => attempt(api, 'GET', '/v1/webhooks'),
    afterwards: sends,
  },

  'mid backup': {
    provoke: (stage) =>
      Promise.all([
        sends(stage),
        askRunningService(controlAddress(stage.home.dir, process.platform), {
          command: 'backup.create',
          input: {},
        }).catch(() => null),
      ]),
    afterwards: async ({ home }) => expectWholeBackups(home),
  },

  'mid rotate': {
    provoke: (stage) => Promise.all([sends(stage), rotate(stage)]),
    afterwards: async (stage) => {
      const { secret } = await must(stage, 'POST', `${webhookOf(stage.home)}/rotate-secret`, {})
      stage.home.secrets.push(secret)
      await sends(stage)
    },
  },

  'mid deactivate': {
    async provoke(stage) {
      stage.home.landing.status = 410
      await sends(stage)
    },
    async afterwards(stage) {
      await until('the webhook is given up', async () => !(await isActive(stage)))
      stage.home.landing.status = 200
      await must(stage, 'PATCH', webhookOf(stage.home), { active: true })
      await replayAll(stage)
    },
  },

  'mid reactivate': {
    async provoke(stage) {
      const { api, home } = stage
      await attempt(api, 'PATCH', webhookOf(home), { active: false })
      await sends(stage)
      await attempt(api, 'PATCH', webhookOf(home), { active: true })
    },
    afterwards: (stage) => must(stage, 'PATCH', webhookOf(stage.home), { active: true }),
  },

  'mid replay': {
    async provoke(stage) {
      const { api, home } = stage
      await attempt(api, 'PATCH', webhookOf(home), { events: ['instance.deleted'] })
      await sends(stage)
      await attempt(api, 'PATCH', webhookOf(home), { events: ['*'] })
      await attempt(api, 'POST', `${webhookOf(home)}/replay`, { since: new Date(home.sinceMs).toISOString() })
    },
    async afterwards(stage) {
      await must(stage, 'PATCH', webhookOf(stage.home), { events: ['*'] })
      await replayAll(stage)
    },
  },
}

async function rotate({ api, home }: Stage): Promise<void> {
  await pause(20)
  const rotated = await attempt(api, 'POST', `${webhookOf(home)}/rotate-secret`, {})
  if (rotated?.status === 200) home.secrets.push(rotated.body.secret)
}

/** An older database: without what the later steps added. */
function takeBack(file: string, version: number): void {
  if (version === MIGRATIONS.at(-1)?.version) throw new Error('The newest step of the schema cannot be taken back.')
  const raw = new Database(file)
  for (const { sql } of MIGRATIONS.filter((step) => step.version > version).toReversed()) {
    for (const [, index] of sql.matchAll(/CREATE (?:UNIQUE )?INDEX (\w+)/g)) raw.exec(`DROP INDEX ${index}`)
    for (const [, table] of sql.matchAll(/CREATE TABLE (\w+)/g)) raw.exec(`DROP TABLE ${table}`)
    for (const [, table, column] of sql.matchAll(/ALTER TABLE (\w+) ADD COLUMN (\w+)/g))
      raw.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`)
  }
  raw.pragma(`user_version = ${version}`)
  raw.close()
}

/** Makes all there is as old as what is removed, adds more of it, and lets what comes be counted on from there. */
function fillWithOld(home: KilledHome): void {
  const raw = new Database(home.database)
  const old = Date.now() - 40 * DAY_MS
  const last = (table: string) => Number(raw.prepare(`SELECT COALESCE(MAX(seq), 0) FROM ${table}`).pluck().get())
  const putEvent = raw.prepare(
    `INSERT INTO events (seq, event_id, account_seq, instance_seq, type, created_at, head, tail)
     VALUES (:seq, 'evt_old_' || :seq, 1, 1, 'message.sent', :old, '{"attempt":', ',"data":{}}')`,
  )
  const putDelivery = raw.prepare(
    `INSERT INTO deliveries (seq, id, account_seq, webhook_seq, event_seq, instance_seq, event_type, status, attempts,
                             delivered_at, created_at, updated_at)
     VALUES (:seq, 'dlv_old_' || :seq, 1, 1, :event, 1, 'message.sent', 'delivered', 1, :old, :old, :old)`,
  )
  const putAttempt = raw.prepare(
    `INSERT INTO delivery_attempts (delivery_seq, attempt, trigger, outcome, counted, started_at, finished_at)
     VALUES (:seq, 1, 'schedule', 'success', 0, :old, :old)`,
  )
  raw.transaction(() => {
    raw.prepare('UPDATE events SET created_at = ?').run(old)
    raw.prepare('UPDATE deliveries SET created_at = ?, updated_at = ?').run(old, old)
    const [event, delivery] = [last('events'), last('deliveries')]
    for (let n = 1; n <= OLD_ROWS; n++) {
      putEvent.run({ seq: event + n, old })
      putDelivery.run({ seq: delivery + n, event: event + n, old })
      putAttempt.run({ seq: delivery + n, old })
    }
    raw.exec(`UPDATE counters SET value = max(value, ${Math.max(event, delivery) + OLD_ROWS}) + 1000
               WHERE name IN ('events', 'deliveries')`)
  })()
  raw.close()
  home.sinceMs = Date.now() - DAY_MS
}

function expectWholeBackups({ dir }: KilledHome): void {
  const folder = join(dir, 'backups')
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.db'))) {
    const copy = new Database(join(folder, name), { readonly: true })
    expect([name, copy.pragma('integrity_check', { simple: true })]).toEqual([name, 'ok'])
    copy.close()
  }
}
