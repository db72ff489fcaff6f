import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCalls } from '../../../main/capabilities/voice/calls.ts'
import { createCursors } from '../../../main/kernel/page.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { shortestOf, slowness } from '../../support/loop-stretch.ts'

const CALLS = 100_000
const instance = { id: '0197f0c2-0000-7c51-9d2b-000000000002' }
const MOST_MS = 20

let database: TestDatabase
let calls: ReturnType<typeof createCalls>

/** All were answered, but for the two oldest, which were busy. */
beforeAll(async () => {
  database = await testDatabase()
  const needs = { db: database.db, cursors: createCursors(Buffer.alloc(32, 1)) }
  // Lists need nothing else.
  calls = createCalls(needs as unknown as Parameters<typeof createCalls>[0])
  database.raw.exec(`BEGIN;
    WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ${CALLS})
    INSERT INTO voice_calls (seq, id, account_id, instance_id, to_number, direction, source, gateway, status, end_reason,
        attempt, scheduled_at, ended_at, created_at)
      SELECT seq, 'call_' || seq, 'a', '${instance.id}', '12025550100', 'outbound', 'api', 'sip',
        CASE WHEN seq < 3 THEN 'busy' ELSE 'completed' END, CASE WHEN seq < 3 THEN 'busy' ELSE 'hung_up' END,
        1, seq, seq, seq FROM n;
    COMMIT`)
})
afterAll(() => database.close())

const list = (query: object) => calls.list(instance as never, { limit: 50, ...query })

test.each<[string, object, number]>([
  ['all', {}, 50],
  ['those that were answered', { status: 'completed' }, 50],
  ['the two oldest that were busy', { status: 'busy' }, 2],
  ['incoming ones, of which there are none', { direction: 'inbound' }, 0],
])('among 100,000 calls %s are listed without blocking anybody', async (_, query, count) => {
  const { data, has_more: hasMore } = await list(query)
  expect([data.length, hasMore]).toEqual([count, count === 50])
  expect((await shortestOf(4, () => list(query), MOST_MS)) / slowness()).toBeLessThan(MOST_MS)
})

test('pages of a filter continue where the previous one ended', async () => {
  const first = await list({ status: 'busy', limit: 1 })
  const second = await list({ status: 'busy', limit: 1, cursor: first.next_cursor })
  expect([first, second].map(({ data, has_more: hasMore }) => [data[0]?.id, hasMore])).toEqual([
    ['call_2', true],
    ['call_1', false],
  ])
})
