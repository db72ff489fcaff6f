import { expect, onTestFinished, test } from 'vitest'
import { createApprovalDecisions } from '../../../main/capabilities/approvals/decide.ts'
import { StorageError, type Db } from '../../../main/kernel/db.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'

const ACCOUNT = '0197f0c2-0000-7c51-9d2b-000000000001' as AccountId

test('D-13 a result that storage refuses is recorded later, without a restart', async () => {
  const clock = fakeClock()
  const data = await testDatabase(undefined, { clock })
  onTestFinished(() => data.close())
  data.raw
    .prepare(
      `INSERT INTO approvals (id, account_id, key_id, key_name, operation, tool, arguments, shown, sentence, fingerprint,
         repeatable, state, created_at, expires_at)
       VALUES ('apr_1', ?, 'key_1', 'Assistant', 'sendMessage', 'send_message', x'00', '{}', 'Send', x'00', 0, 'pending', 0, ?)`,
    )
    .run(ACCOUNT, clock.now() + 60_000)
  let commits = 0
  const db: Db = {
    ...data.db,
    // The disk fills up between the call and its result, for two tries.
    commit: (work) =>
      [2, 3].includes(++commits) ? Promise.reject(new StorageError('full', 'full')) : data.db.commit(work),
  }
  const random = seededRandom()
  const decisions = createApprovalDecisions({
    ...{ db, clock, log: silentLog, changed() {} },
    seal: createSeal({ masterKey: { key: () => Buffer.alloc(32, 1) }, random }),
    principalOf: async () => undefined,
  })
  await decisions.start({ describe: async () => undefined, execute: async () => ({ status: 200, body: {} }) })
  await expect(decisions.approve(ACCOUNT, 'apr_1')).rejects.toThrow('full')
  const state = () => data.raw.prepare('SELECT state FROM approvals').pluck().get()
  await clock.advance(5_000)
  expect(state()).toBe('approved')
  await clock.advance(5_000)
  expect(state()).toBe('executed')
  expect(clock.waiting()).toBe(0)
})
