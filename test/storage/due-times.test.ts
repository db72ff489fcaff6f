import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DUE_COLUMNS, RECORD_COLUMNS } from '../../main/storage/due-columns.ts'
import { FACT_TABLES } from '../../main/storage/fact-tables.ts'
import { MOVES, moveDueTimes } from '../../main/storage/due-times.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 0, 5, 12)

let data: TestDatabase
beforeAll(async () => void (data = await testDatabase()))
afterAll(() => data.close())

/** What a column is called that holds a time or a length of time. */
const TIME = /(^|_)(at|until|since|before|end|of|ms|hour|quarter|date|from|to|expires?|due|time)$/

function timeColumns(): string[] {
  const rows = data.raw
    .prepare(
      `SELECT m.name AS tableName, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
       WHERE m.type = 'table' AND c.type = 'INTEGER' ORDER BY m.name, c.cid`,
    )
    .all() as { tableName: string; name: string }[]
  return rows.filter(({ name }) => TIME.test(name)).map(({ tableName, name }) => `${tableName}.${name}`)
}

const declared = Object.entries(DUE_COLUMNS).flatMap(([table, columns]) =>
  Object.keys(columns).map((column) => `${table}.${column}`),
)

test('every column with a time declares what happens when the clock is set', () => {
  const undecided = timeColumns().filter((column) => !declared.includes(column))
  expect(undecided.filter((column) => !RECORD_COLUMNS.includes(column.split('.')[1] ?? ''))).toEqual([])
})

test('every declared column exists', () => {
  const known = data.raw
    .prepare('SELECT m.name AS t, c.name AS c FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = ?')
    .all('table') as { t: string; c: string }[]
  const names = new Set(known.map(({ t, c }) => `${t}.${c}`))
  expect(declared.filter((column) => !names.has(column))).toEqual([])
})

test('a fact with a movable time is either written again or moved when it is read', () => {
  const forgotten = Object.entries(FACT_TABLES).flatMap(([table, { columns, changes, moves = {} }]) =>
    columns.filter((column) => {
      const due = [DUE_COLUMNS[table]?.[column] ?? 'stays'].flat()
      const isMoved = due.some((one) => typeof one !== 'string' && one.kind === 'moves')
      return isMoved && !(changes ?? columns).includes(column) && moves[column] === undefined
    }),
  )
  expect(forgotten).toEqual([])
})

test('every statement is valid', () => {
  for (const { text } of MOVES) expect(() => data.raw.prepare(text), text).not.toThrow()
})

describe('when the clock is set', () => {
  const insertJob = (
    seq: number,
    runAt: number,
    more: { isAppointment?: number; state?: string; kind?: string } = {},
  ) =>
    data.raw
      .prepare(
        `INSERT INTO jobs (seq, kind, subject_id, lane, input, state, run_at, is_appointment, attempt, failures, created_at)
         VALUES (?, ?, 's', '', '{}', ?, ?, ?, 0, 0, 0)`,
      )
      .run(seq, more.kind ?? 'k', more.state ?? 'waiting', runAt, more.isAppointment ?? 0)
  const runTimes = () =>
    (data.raw.prepare('SELECT run_at AS at FROM jobs ORDER BY seq').all() as { at: number }[]).map(({ at }) => at)
  const move = (byMs: number) => data.db.commit((tx) => moveDueTimes(tx, { byMs, fromMs: NOW }))

  test.each([-24 * HOUR, -HOUR, HOUR, 72 * HOUR])('by %d ms, a wait keeps its length', async (byMs) => {
    data.raw.exec('DELETE FROM jobs')
    insertJob(1, NOW + 10_000)
    insertJob(2, NOW + 48 * HOUR)
    // One that ended says when it ran.
    insertJob(3, NOW + 10_000, { state: 'done' })
    await move(byMs)
    expect(runTimes()).toEqual([NOW + byMs + 10_000, NOW + byMs + 48 * HOUR, NOW + 10_000])
  })

  test('back, due work stays due, and a future appointment keeps its time', async () => {
    data.raw.exec('DELETE FROM jobs')
    insertJob(1, NOW - 60_000)
    insertJob(2, NOW - 60_000, { isAppointment: 1 })
    insertJob(3, NOW + HOUR, { isAppointment: 1 })
    await move(-HOUR)
    expect(runTimes()).toEqual([NOW - HOUR - 60_000, NOW - HOUR, NOW + HOUR])
  })

  test.each([-HOUR, HOUR])(
    'by %d ms, work that waits for business hours or quiet hours is scheduled for them again',
    async (byMs) => {
      data.raw.exec('DELETE FROM jobs')
      for (const [seq, kind] of ['ai.turn', 'ai.follow-up'].entries())
        insertJob(seq, NOW + 20 * HOUR, { isAppointment: 1, kind })
      insertJob(2, NOW + 20 * HOUR, { kind: 'ai.turn' })
      await move(byMs)
      expect(runTimes()).toEqual([NOW + byMs, NOW + byMs, NOW + byMs + 20 * HOUR])
    },
  )

  test('back, the calls of a batch keep their distance, and a call scheduled for a chosen time keeps it', async () => {
    data.raw.exec('DELETE FROM jobs; DELETE FROM voice_calls')
    const call = data.raw.prepare(
      `INSERT INTO voice_calls (seq, id, account_id, instance_id, direction, source, gateway, status, attempt, scheduled_at,
         created_at) VALUES (?, ?, 'a', 'i', 'outbound', 'api', 'sandbox', 'scheduled', 0, ?, 0)`,
    )
    const job = data.raw.prepare(
      `INSERT INTO jobs (seq, kind, subject_id, lane, job_key, input, state, run_at, is_appointment, attempt, failures,
         created_at) VALUES (?, 'voice.dial', 'i', '', ?, '{}', 'waiting', ?, ?, 0, 0, 0)`,
    )
    const calls = [
      ['batch', NOW - 60_000, 0],
      ['batch later', NOW + 60_000, 0],
      ['due', NOW - 60_000, 1],
      ['chosen', NOW + HOUR, 1],
    ] as const
    for (const [seq, [id, at, isAppointment]] of calls.entries()) {
      call.run(seq, id, at)
      job.run(seq, id, at, isAppointment)
    }
    await move(-HOUR)
    const found = data.raw.prepare('SELECT id, scheduled_at AS at FROM voice_calls ORDER BY seq').all()
    expect(found).toEqual([
      { id: 'batch', at: NOW - HOUR - 60_000 },
      { id: 'batch later', at: NOW - HOUR + 60_000 },
      { id: 'due', at: NOW - HOUR },
      { id: 'chosen', at: NOW + HOUR },
    ])
  })

  test('a lane is due when its first job is due', async () => {
    data.raw.exec('DELETE FROM jobs; DELETE FROM job_lanes')
    insertJob(1, NOW + 90 * 60_000, { isAppointment: 1 })
    insertJob(2, NOW + 2 * HOUR)
    const lane = 'INSERT INTO job_lanes VALUES (?, ?, ?, ?, ?, ?, 2, 0, 0, 0, 0)'
    data.raw.prepare(lane).run('k', 's', '', 'a', 'open', NOW + 90 * 60_000)
    await move(-HOUR)
    expect(data.raw.prepare('SELECT next_at AS at FROM job_lanes').get()).toEqual({ at: NOW + HOUR })
  })

  test('the sends of an instance are counted in the moved quarter hours, and added to existing counts', async () => {
    const quarter = NOW / 900_000
    const insert = data.raw.prepare('INSERT INTO safety_counts (instance_id, quarter, sent) VALUES (?, ?, ?)')
    for (const [ago, sent] of [
      [0, 1],
      [1, 2],
      [4, 8],
      [200, 16],
    ] as const)
      insert.run('i', quarter - ago, sent)
    await move(-HOUR)
    const rows = data.raw.prepare('SELECT quarter, sent FROM safety_counts ORDER BY quarter DESC').all()
    expect(rows).toEqual([
      { quarter: quarter - 4, sent: 1 },
      { quarter: quarter - 5, sent: 2 },
      { quarter: quarter - 8, sent: 8 },
      { quarter: quarter - 200, sent: 16 },
    ])
  })

  test('forward and back again, everything is as before', async () => {
    data.raw.exec('DELETE FROM jobs')
    const times = [NOW + 1_000, NOW + HOUR, NOW + 1_000 * HOUR]
    for (const [i, at] of times.entries()) insertJob(i, at)
    const decades = 12 * 365 * 24 * HOUR
    await data.db.commit((tx) => moveDueTimes(tx, { byMs: decades, fromMs: NOW }))
    await data.db.commit((tx) => moveDueTimes(tx, { byMs: -decades, fromMs: NOW + decades }))
    expect(runTimes()).toEqual(times)
  })
})
