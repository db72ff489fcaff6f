import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPages } from '../../main/kernel/ogg.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { pause, testHome, until, type Api, type RunningService, type TestHome } from '../support/service-process.ts'

/** A trial has 50 calls, so that this many instances use theirs up exactly. */
const CALLS = Number(process.env['CALLS'] ?? 500)
const PER_INSTANCE = 50
const INSTANCES = Math.ceil(CALLS / PER_INSTANCE)
const KILLS = 10
const LONGEST_MS = 40 * 60_000

interface CallRow {
  readonly id: string
  readonly status: string
  readonly attempt: number
  readonly reason: string
  readonly seconds: number
  readonly recording: string | null
  readonly answered: number | null
}

let home: TestHome
let service: RunningService
let key: string
const instances: { id: string; agent: string }[] = []

const api: Api = (...asked) => service.api(key)(...asked)

beforeAll(async () => {
  home = testHome()
  home.write({ 'sandbox.voice_speed': 20, slots: INSTANCES + 1, rate_limit_per_minute: 1_000_000 })
  key = (await home.key('Calls')).key
  service = await home.start()
  for (let at = 0; at < INSTANCES; at++) {
    const id = await pairedInstance(api, String(12_025_551_000 + at))
    const agent = await api('POST', `/v1/instances/${id}/ai/agents`, { name: 'Ana', provider: 'builtin' })
    expect((await api('POST', `/v1/instances/${id}/voice/enable`)).status).toBe(200)
    instances.push({ id, agent: agent.body.id })
  }
})
afterAll(() => home.remove())

test(
  `after ${CALLS} calls over ${KILLS} kills, records, recordings and minutes add up`,
  { timeout: LONGEST_MS },
  async () => {
    for (const [at, { id, agent }] of instances.entries()) {
      const count = Math.min(PER_INSTANCE, CALLS - at * PER_INSTANCE)
      const numbers = Array.from({ length: count }, (_, n) => String(13_105_550_000 + at * 100 + n))
      const body = { numbers, agent_id: agent, interval_seconds: 1 }
      const answer = await api('POST', `/v1/instances/${id}/voice/calls/batch`, body)
      expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    }
    for (let kills = 0; kills < KILLS; kills++) {
      await pause(4_000 + 500 * (kills % 4))
      await service.end('SIGKILL')
      service = await home.start()
    }
    const open = `SELECT COUNT(*) AS open FROM voice_calls WHERE ended_at IS NULL`
    await until('the end of every call', () => rows<{ open: number }>(open)[0]?.open === 0, LONGEST_MS - 120_000)

    const calls = rows<CallRow>(
      `SELECT id, status, attempt, end_reason AS reason, recording_id AS recording, answered_at AS answered,
         CAST(ROUND(COALESCE(duration_ms, 0) / 1000.0) AS INTEGER) AS seconds FROM voice_calls`,
    )
    expect(calls).toHaveLength(CALLS)
    const begun = calls.filter(({ attempt }) => attempt === 1)
    // What a call ends with after a kill is not chosen, but it ends once and is never dialed again.
    expect(calls.filter(({ attempt }) => attempt > 1)).toEqual([])
    const broken = calls.filter(({ reason }) => reason === 'app_crashed')
    expect(calls.filter(({ status }) => status !== 'completed').length).toBe(
      calls.filter(({ reason }) => reason !== 'person_hung_up' && reason !== 'agent_hung_up').length,
    )

    // A call is taken off the trial with the commit that says that it was answered, and counted with the one that ends it.
    const answered = calls.filter(({ answered: at }) => at !== null)
    expect(answered.length).toBeGreaterThan(0)
    expect(calls.filter(({ answered: at, recording }) => at === null && recording !== null)).toEqual([])
    expect(begun.filter(({ answered: at, status }) => at === null && status === 'completed')).toEqual([])
    const [used] = rows<{ calls: number; seconds: number }>(
      'SELECT SUM(calls) AS calls, SUM(call_seconds) AS seconds FROM usage_daily',
    )
    expect(used).toEqual({ calls: answered.length, seconds: answered.reduce((sum, { seconds }) => sum + seconds, 0) })
    expect(rows('SELECT SUM(trial_used) AS used FROM voice_instances')).toEqual([{ used: answered.length }])

    // Every recording that is listed is whole, and nothing else is left.
    const recordings = rows<{ id: string; call: string; file: string; size: number }>(
      'SELECT id, call_id AS "call", file_id AS file, size FROM voice_recordings',
    )
    expect(recordings.map(({ id }) => id).toSorted()).toEqual(
      calls.flatMap(({ recording }) => recording ?? []).toSorted(),
    )
    for (const { file, size } of recordings) {
      const bytes = readFileSync(join(home.dir, 'files', file.slice(-1), file))
      expect(bytes.length).toBe(size)
      expect(readPages(bytes).length).toBeGreaterThan(2)
    }
    expect(readdirSync(join(home.dir, 'recordings'))).toEqual([])
    process.stdout.write(
      `${CALLS} calls, ${KILLS} kills: ${broken.length} broke off, ${answered.length} answered, ${recordings.length} recordings, ${String(used?.seconds)} s\n`,
    )
  },
)

function rows<R>(sql: string): R[] {
  const database = new Database(join(home.dir, 'switchboard.db'), { readonly: true })
  try {
    return database.prepare(sql).all() as R[]
  } finally {
    database.close()
  }
}
