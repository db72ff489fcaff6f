import { ApiError } from '../../contract/errors.ts'
import type { Tx } from '../../kernel/db.ts'
import { dueIn } from '../../kernel/due.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Case } from './contract.ts'
import type { AiEvaluationsDeps } from './deps.ts'
import { countCase, finishRun, insertResult, runById, type RunRow } from './store.ts'
import { judge, type Outcome } from './verdict.ts'

interface Input {
  readonly runId: string
  readonly instanceId: string
  readonly accountId: AccountId
}

type Result =
  | { readonly kind: 'asked'; readonly position: number; readonly outcome: Outcome; readonly spent: Spent }
  | { readonly kind: 'over'; readonly error: string | null }

interface Spent {
  readonly costMicros: number | null
  readonly durationMs: number
}

const SENTENCE = 'The run was ended.'

/**
 * Asks one question in each run of the job, so that an evaluation continues after a crash and stops when it is
 * deleted.
 */
export function createRuns({ db, clock, jobs, live, instances, ai }: AiEvaluationsDeps) {
  const queue = jobs.define<Input, Result>({
    name: 'ai-evaluations.run',
    perLane: 1,
    concurrency: 20,
    deadlineMs: 180_000,
    retryDelaysMs: [2_000, 10_000, 60_000],
    async act({ input: { runId, instanceId, accountId } }, signal) {
      const run = await db.readOne(runById, { id: runId })
      const instance = await instances.subject(accountId, instanceId)
      if (run === undefined || instance === undefined || instance.deleted) return { kind: 'over', error: SENTENCE }
      const cases = JSON.parse(run.cases) as Case[]
      const next = cases[run.done]
      if (next === undefined) return { kind: 'over', error: null }
      const agent = await ai.agents.find(instanceId, run.agentId).catch(() => undefined)
      if (agent === undefined) return { kind: 'over', error: 'The agent was deleted.' }
      const { question } = next
      const history = [{ from: 'person', text: question } as const]
      try {
        const { reply, handoff, usage } = await ai.trial.ask(
          instance,
          { agent, question, history, stageId: null },
          signal,
        )
        const { costMicros, durationMs } = usage
        const outcome = { reply, handoff: handoff?.reason ?? null }
        return { kind: 'asked', position: run.done + 1, outcome, spent: { costMicros, durationMs } }
      } catch (error) {
        // Asking again does not help when a limit is reached or a key is missing.
        if (error instanceof ApiError && error.code !== 'sealed') return { kind: 'over', error: error.message }
        throw error
      }
    },
    async record(tx, { input: { runId, instanceId, accountId } }, result) {
      const run = await tx.one(runById, { id: runId })
      if (run === undefined || run.status !== 'running') return { kind: 'done' }
      tx.afterCommit(() => live.publish(accountId, { topic: 'ai', instance_id: instanceId }))
      if (result.kind === 'over') {
        const status = result.error === null ? 'completed' : 'failed'
        await tx.run(finishRun, { seq: run.seq, status, error: result.error, now: clock.now() })
        return { kind: 'done' }
      }
      await storeResult(tx, run, result)
      if (result.position < run.total) return { kind: 'again', at: dueIn(clock, 0) }
      await tx.run(finishRun, { seq: run.seq, status: 'completed', error: null, now: clock.now() })
      return { kind: 'done' }
    },
    async recordFailure(tx, { input: { runId } }, error) {
      const run = await tx.one(runById, { id: runId })
      if (run) await tx.run(finishRun, { seq: run.seq, status: 'failed', error, now: clock.now() })
    },
  })

  async function storeResult(
    tx: Tx,
    { seq, cases }: RunRow,
    { position, outcome, spent }: Extract<Result, { kind: 'asked' }>,
  ): Promise<void> {
    const asked = (JSON.parse(cases) as Case[])[position - 1]
    if (asked === undefined) return
    const { passed, missing } = judge(asked, outcome)
    const row = { runSeq: seq, position, passed: passed ? (1 as const) : (0 as const), ...outcome }
    await tx.run(insertResult, { ...row, missing: JSON.stringify(missing), durationMs: spent.durationMs })
    await tx.run(countCase, { seq, passed: passed ? 1 : 0, costMicros: spent.costMicros })
  }

  return {
    add: (tx: Tx, { id: runId, instanceId, accountId }: Pick<RunRow, 'id' | 'instanceId' | 'accountId'>) =>
      queue.add(tx, { accountId, subjectId: runId, key: runId, input: { runId, instanceId, accountId } }),
  }
}
