import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Tx } from '../../kernel/db.ts'
import { seqPage } from '../../kernel/list-page.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Case, Evaluation, Run, RunSummary } from './contract.ts'
import type { AiEvaluationsDeps } from './deps.ts'
import { createRuns } from './run.ts'
import {
  changeEvaluation,
  endRunsOf,
  evaluationById,
  evaluationCount,
  evaluationsPage,
  insertEvaluation,
  insertRun,
  rehomeEvaluations,
  rehomeRuns,
  removeEvaluation,
  removeEvaluationsOf,
  removeResults,
  removeRuns,
  resultsOf,
  runById,
  runsPage,
  type EvaluationRow,
  type RunRow,
} from './store.ts'

interface PageWish {
  readonly limit?: number
  readonly cursor?: string
}

export type { AiEvaluationsDeps } from './deps.ts'

export type AiEvaluations = ReturnType<typeof createAiEvaluations>

const MOST = Number.MAX_SAFE_INTEGER
const REHOME = [endRunsOf, rehomeEvaluations, rehomeRuns] as const

/**
 * Sets of questions with the required content of their answers, asked before an agent goes live and after each
 * change.
 */
export function createAiEvaluations(deps: AiEvaluationsDeps) {
  const { db, clock, ids, cursors, instances, ai } = deps
  const runs = createRuns(deps)

  const get = async (read: Pick<Tx, 'one'>, instanceId: string, id: string): Promise<EvaluationRow> => {
    const row = await read.one(evaluationById, { instanceId, id })
    if (row === undefined) throw new ApiError('not_found', 'This instance has no evaluation with this id.')
    return row
  }
  const outside = { one: db.readOne }
  const getRun = async (instanceId: string, evaluationId: string, runId: string): Promise<RunRow> => {
    const { seq } = await get(outside, instanceId, evaluationId)
    const run = await db.readOne(runById, { id: runId })
    if (run?.evaluationSeq !== seq) throw new ApiError('not_found', 'This evaluation has no run with this id.')
    return run
  }
  const removeOne = async (tx: Tx, { seq }: EvaluationRow) => {
    await tx.run(removeResults, { evaluationSeq: seq })
    await tx.run(removeRuns, { evaluationSeq: seq })
    await tx.run(removeEvaluation, { seq })
  }
  const show = async (row: EvaluationRow): Promise<Evaluation> => {
    const [last] = await db.read(runsPage, { evaluationSeq: row.seq, before: MOST, rows: 1 })
    return toEvaluation(row, last)
  }

  instances.subscribe(async (tx, change) => {
    const { kind, id: instanceId } = change
    if (kind === 'transferred')
      for (const statement of REHOME) await tx.run(statement, { instanceId, accountId: change.to, now: clock.now() })
    if (kind !== 'deleted') return
    const rows = await tx.all(evaluationsPage, { instanceId, before: MOST, rows: LIMITS.aiEvaluations })
    for (const row of rows) await removeOne(tx, row)
    await tx.run(removeEvaluationsOf, { instanceId })
  })

  return {
    find: (instanceId: string, id: string) => get(outside, instanceId, id),
    findRun: getRun,
    list: (instanceId: string, wish: PageWish) =>
      seqPage(
        cursors,
        `ai-evaluations:${instanceId}`,
        wish,
        (page) => db.read(evaluationsPage, { instanceId, ...page }),
        show,
      ),

    async create({ id: instanceId, accountId }: InstanceSubject, body: { name: string; cases: Case[] }) {
      return db.commit(async (tx) => {
        const { count = 0 } = (await tx.one(evaluationCount, { instanceId })) ?? {}
        if (count >= LIMITS.aiEvaluations)
          throw new ApiError(
            'invalid_state',
            `This instance already has ${LIMITS.aiEvaluations} evaluations. Delete one first.`,
          ).because('evaluations_full', { n: LIMITS.aiEvaluations })
        const now = clock.now()
        const row: EvaluationRow = {
          ...{ seq: await tx.next('ai_evaluations'), id: ids.uuid(), instanceId, accountId, name: body.name },
          ...{ cases: JSON.stringify(body.cases), createdAtMs: now, updatedAtMs: now },
        }
        await tx.run(insertEvaluation, row)
        return toEvaluation(row, undefined)
      })
    },

    async update(instanceId: string, id: string, body: { name?: string; cases?: Case[] }): Promise<Evaluation> {
      const after = await db.commit(async (tx) => {
        const row = await get(tx, instanceId, id)
        const cases = body.cases === undefined ? row.cases : JSON.stringify(body.cases)
        const next = body.name ?? row.name
        if (next === row.name && cases === row.cases) return row
        const changed = { ...row, name: next, cases, updatedAtMs: clock.now() }
        const { seq, name, updatedAtMs } = changed
        await tx.run(changeEvaluation, { seq, name, cases, updatedAtMs })
        return changed
      })
      return show(after)
    },

    async remove(instanceId: string, id: string): Promise<void> {
      await db.commit(async (tx) => removeOne(tx, await get(tx, instanceId, id)))
    },

    /** @throws ApiError not_found, invalid_state, provider_key_missing */
    async start(instance: InstanceSubject, id: string, agentId: string | undefined): Promise<RunSummary> {
      const { id: instanceId, accountId } = instance
      const evaluation = await get(outside, instanceId, id)
      const agent =
        agentId === undefined ? await ai.trial.primary(instanceId) : await ai.agents.find(instanceId, agentId)
      return db.commit(async (tx) => {
        await ai.settings.requireKey(tx, agent)
        const { length: total } = JSON.parse(evaluation.cases) as Case[]
        const row = {
          ...{ seq: await tx.next('ai_evaluation_runs'), id: ids.uuid(), evaluationSeq: evaluation.seq, instanceId },
          ...{ accountId, agentId: agent.id, agentName: agent.name, cases: evaluation.cases, total, costMicros: 0 },
          createdAtMs: clock.now(),
        }
        await tx.run(insertRun, row)
        await runs.add(tx, row)
        return toSummary({ ...row, status: 'running', done: 0, passed: 0, error: null, finishedAtMs: null })
      })
    },

    async listRuns(instanceId: string, id: string, wish: PageWish) {
      const { seq } = await get(outside, instanceId, id)
      const read = (page: { before: number; rows: number }) => db.read(runsPage, { evaluationSeq: seq, ...page })
      return seqPage(cursors, `ai-evaluation-runs:${id}`, wish, read, toSummary)
    },

    async getRun(instanceId: string, id: string, runId: string): Promise<Run> {
      const run = await getRun(instanceId, id, runId)
      const cases = JSON.parse(run.cases) as Case[]
      const before = await previousOf(run)
      const results = await db.read(resultsOf, { runSeq: run.seq })
      return {
        ...toSummary(run),
        results: results.map(({ position, passed, reply, handoff, missing, durationMs }) => {
          const { question = '', expects = 'answer' } = cases[position - 1] ?? {}
          return {
            ...{ position, question, expects, passed: passed === 1, before: before.get(question) ?? null },
            ...{ reply, handoff, missing: JSON.parse(missing) as string[], duration_ms: durationMs },
          }
        }),
      }
    },
  }

  /** The questions that passed in the previous run. */
  async function previousOf({ evaluationSeq, seq }: RunRow): Promise<ReadonlyMap<string, boolean>> {
    const [before] = await db.read(runsPage, { evaluationSeq, before: seq, rows: 1 })
    if (before === undefined) return new Map()
    const cases = JSON.parse(before.cases) as Case[]
    const results = await db.read(resultsOf, { runSeq: before.seq })
    return new Map(results.map(({ position, passed }) => [cases[position - 1]?.question ?? '', passed === 1]))
  }
}

function toSummary(row: RunRow): RunSummary {
  return {
    ...{ id: row.id, status: row.status, agent_id: row.agentId, agent_name: row.agentName },
    ...{ total: row.total, done: row.done, passed: row.passed, error: row.error },
    cost_usd: row.costMicros === null ? null : row.costMicros / 1_000_000,
    created_at: isoTime(row.createdAtMs),
    finished_at: isoTimeOrNull(row.finishedAtMs),
  }
}

const toEvaluation = (row: EvaluationRow, last: RunRow | undefined): Evaluation => ({
  ...{ id: row.id, name: row.name, cases: JSON.parse(row.cases) as Case[] },
  last_run: last === undefined ? null : toSummary(last),
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})
