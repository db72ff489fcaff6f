import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createActivity, activityCounter, retainActivity } from '../../../main/capabilities/overview/activity.ts'
import { EVENT_TYPES } from '../../../main/contract/events.ts'
import { createIds, type AccountId, type InstanceId } from '../../../main/kernel/ids.ts'
import { createLedger } from '../../../main/kernel/ledger.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'

const ACCOUNTS = [1, 2].map((n) => `0197f0c2-0000-7c51-9d2b-00000000000${n}` as AccountId)
const INSTANCES = [1, 2, 3].map((n) => `0197f0c2-6a3e-7c51-9d2b-00000000000${n}` as InstanceId)
const HOUR = 3_600_000

let clock: FakeClock
let data: TestDatabase
let ledger: ReturnType<typeof createLedger>

beforeEach(async () => {
  clock = fakeClock()
  data = await testDatabase(undefined, { clock })
  ledger = createLedger({ clock, ids: createIds(clock, seededRandom()) })
  ledger.inCommit(activityCounter)
})
afterEach(() => data.close())

const happening = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  instanceId: fc.constantFrom(...INSTANCES),
  type: fc.constantFrom(...EVENT_TYPES),
  later: fc.integer({ min: 0, max: 5 * HOUR }),
  fails: fc.boolean(),
})

test('the counters equal a count of all events, also after rollbacks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 40 }), async (all) => {
      for (const { account: accountId, instanceId, type, later, fails } of all) {
        await clock.advance(later)
        const unit = data.db.commit(async (tx) => {
          await ledger.append(tx, { accountId, instanceId, type, instance: {}, data: {} })
          if (fails) throw new Error('undone')
        })
        await unit.catch(() => {})
      }
      for (const accountId of ACCOUNTS) {
        const counted = data.raw
          .prepare(
            `SELECT created_at / ${HOUR} AS hour, SUM(type = 'message.sent') AS sent,
               SUM(type = 'message.received') AS received, SUM(type = 'message.failed') AS failed
             FROM events WHERE account_seq = (SELECT seq FROM subjects WHERE id = ?)
               AND type IN ('message.sent', 'message.received', 'message.failed') GROUP BY 1 ORDER BY 1`,
          )
          .all(accountId)
        const kept = data.raw
          .prepare(
            `SELECT hour, SUM(sent) AS sent, SUM(received) AS received, SUM(failed) AS failed FROM activity
             WHERE account_seq = (SELECT seq FROM subjects WHERE id = ?) GROUP BY 1 ORDER BY 1`,
          )
          .all(accountId)
        expect(kept).toEqual(counted)
      }
    }),
    { numRuns: 40 },
  )
})

const record = (type: 'message.sent' | 'message.failed', accountId = ACCOUNTS[0]!) =>
  data.db.commit((tx) => ledger.append(tx, { accountId, instanceId: INSTANCES[0]!, type, instance: {}, data: {} }))

test.each([
  ['24h', 24, 3_600],
  ['7d', 28, 6 * 3_600],
  ['30d', 30, 24 * 3_600],
] as const)(
  'a chart of %s has %i points, the current one last, and only what is in it',
  async (range, points, step) => {
    await record('message.sent')
    await clock.advance(40 * 24 * HOUR)
    await record('message.sent')
    await record('message.failed')
    await record('message.sent', ACCOUNTS[1])
    const read = createActivity({ db: data.db, clock })
    const found = await read(ACCOUNTS[0]!, { range, network: null })
    expect([found.points.length, found.stepSeconds]).toEqual([points, step])
    expect(found.points.at(-1)).toMatchObject({ sent: 1, received: 0, failed: 1 })
    expect(found.points.slice(0, -1).every(({ sent, failed }) => sent + failed === 0)).toBe(true)
    expect((await read(ACCOUNTS[0]!, { range, network: 'live' })).points.at(-1)).toMatchObject({ sent: 0 })
  },
)

test('hours older than ninety days are removed', async () => {
  await record('message.sent')
  await clock.advance(91 * 24 * HOUR)
  await record('message.sent')
  const step = retainActivity({ db: data.db, clock }).begin()
  expect(await step()).toBe(false)
  expect(data.raw.prepare('SELECT COUNT(*) AS n FROM activity').get()).toEqual({ n: 1 })
})
