import { expect, test } from 'vitest'
import type { AiEvaluationsDeps } from '../../../main/capabilities/ai-evaluations/deps.ts'
import { createRuns } from '../../../main/capabilities/ai-evaluations/run.ts'
import { insertRun, runById } from '../../../main/capabilities/ai-evaluations/store.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { BUSY, jobsOfTest, OTHER } from '../../support/jobs.ts'

/** What the agents of the accounts do: those of one never answer. */
const ai = {
  agents: { find: async () => ({}) },
  trial: {
    ask: ({ accountId }: { accountId: AccountId }) =>
      accountId === BUSY
        ? new Promise(() => {})
        : Promise.resolve({ reply: 'At 8.', handoff: null, usage: { costMicros: 0, durationMs: 1 } }),
  },
} as unknown as AiEvaluationsDeps['ai']

test('an account with many slow evaluations leaves capacity for the evaluations of other accounts', async () => {
  const { jobs, db, clock } = await jobsOfTest()
  const instances = {
    subscribe() {},
    subject: async (accountId: AccountId) => ({ accountId, deleted: false }),
  } as unknown as AiEvaluationsDeps['instances']
  const live = { publish() {} }
  const runs = createRuns({ ...({} as AiEvaluationsDeps), db, clock, jobs, live, instances, ai })
  const cases = JSON.stringify([{ question: 'When?', expects: 'answer', facts: ['8'] }])
  const add = (accountId: AccountId, id: string) =>
    db.commit(async (tx) => {
      const instanceId = `instance of ${accountId}`
      const run = { id, instanceId, accountId, evaluationSeq: 1, agentId: 'agent', agentName: 'Agent', cases }
      await tx.run(insertRun, {
        ...run,
        ...{ seq: await tx.next('ai_evaluation_runs'), total: 1, costMicros: 0, createdAtMs: clock.now() },
      })
      await runs.add(tx, run)
    })
  for (let n = 1; n <= 6; n++) await add(BUSY, `slow ${n}`)
  jobs.start()
  await clock.advance(2_000)
  await add(OTHER, 'other')
  await clock.advance(100)
  expect(await db.readOne(runById, { id: 'other' })).toMatchObject({ status: 'completed', done: 1, passed: 1 })
})
