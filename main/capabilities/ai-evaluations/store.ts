import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export interface EvaluationRow {
  readonly seq: number
  readonly id: string
  readonly instanceId: string
  readonly accountId: AccountId
  readonly name: string
  /** JSON. */
  readonly cases: string
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

export interface RunRow {
  readonly seq: number
  readonly id: string
  readonly evaluationSeq: number
  readonly instanceId: string
  readonly accountId: AccountId
  readonly agentId: string
  readonly agentName: string
  readonly status: 'running' | 'completed' | 'failed'
  readonly cases: string
  readonly total: number
  readonly done: number
  readonly passed: number
  readonly error: string | null
  readonly costMicros: number | null
  readonly createdAtMs: number
  readonly finishedAtMs: number | null
}

export interface ResultRow {
  readonly position: number
  readonly passed: 0 | 1
  readonly reply: string | null
  readonly handoff: string | null
  readonly missing: string
  readonly durationMs: number
}

type OfInstance = { instanceId: string }

const EVALUATION = `seq, id, instance_id AS instanceId, account_id AS accountId, name, cases,
  created_at AS createdAtMs, updated_at AS updatedAtMs`

export const evaluationsPage = sql<OfInstance & { before: number; rows: number }, EvaluationRow>(
  `SELECT ${EVALUATION} FROM ai_evaluations WHERE instance_id = :instanceId AND seq < :before
   ORDER BY seq DESC LIMIT :rows`,
)
export const evaluationById = sql<OfInstance & { id: string }, EvaluationRow>(
  `SELECT ${EVALUATION} FROM ai_evaluations WHERE id = :id AND instance_id = :instanceId`,
)
export const evaluationCount = sql<OfInstance, { count: number }>(
  'SELECT COUNT(*) AS count FROM ai_evaluations WHERE instance_id = :instanceId',
)
export const insertEvaluation = sql<EvaluationRow>(
  `INSERT INTO ai_evaluations (seq, id, instance_id, account_id, name, cases, created_at, updated_at)
   VALUES (:seq, :id, :instanceId, :accountId, :name, :cases, :createdAtMs, :updatedAtMs)`,
)
export const changeEvaluation = sql<Pick<EvaluationRow, 'seq' | 'name' | 'cases' | 'updatedAtMs'>>(
  'UPDATE ai_evaluations SET name = :name, cases = :cases, updated_at = :updatedAtMs WHERE seq = :seq',
)
export const removeEvaluation = sql<{ seq: number }>('DELETE FROM ai_evaluations WHERE seq = :seq')
export const removeEvaluationsOf = sql<OfInstance>('DELETE FROM ai_evaluations WHERE instance_id = :instanceId')

const RUN = `seq, id, evaluation_seq AS evaluationSeq, instance_id AS instanceId, account_id AS accountId,
  agent_id AS agentId, agent_name AS agentName, status, cases, total, done, passed, error, cost_micros AS costMicros,
  created_at AS createdAtMs, finished_at AS finishedAtMs`

type OfEvaluation = { evaluationSeq: number }

export const runsPage = sql<OfEvaluation & { before: number; rows: number }, RunRow>(
  `SELECT ${RUN} FROM ai_evaluation_runs WHERE evaluation_seq = :evaluationSeq AND seq < :before
   ORDER BY seq DESC LIMIT :rows`,
)
export const runById = sql<{ id: string }, RunRow>(`SELECT ${RUN} FROM ai_evaluation_runs WHERE id = :id`)
export const insertRun = sql<Omit<RunRow, 'status' | 'done' | 'passed' | 'error' | 'finishedAtMs'>>(
  `INSERT INTO ai_evaluation_runs (seq, id, evaluation_seq, instance_id, account_id, agent_id, agent_name, status, cases,
     total, cost_micros, created_at)
   VALUES (:seq, :id, :evaluationSeq, :instanceId, :accountId, :agentId, :agentName, 'running', :cases, :total,
     :costMicros, :createdAtMs)`,
)
/** The cost stays known while every case has a known cost. */
export const countCase = sql<{ seq: number; passed: number; costMicros: number | null }>(
  `UPDATE ai_evaluation_runs SET done = done + 1, passed = passed + :passed, cost_micros = cost_micros + :costMicros
   WHERE seq = :seq AND status = 'running'`,
)
export const finishRun = sql<{ seq: number; status: 'completed' | 'failed'; error: string | null; now: number }>(
  `UPDATE ai_evaluation_runs SET status = :status, error = :error, finished_at = :now
   WHERE seq = :seq AND status = 'running'`,
)
type Rehome = { instanceId: string; accountId: string; now: number }
/** When an instance moves to another account, its provider keys stay behind, so its runs end. */
export const endRunsOf = sql<Rehome>(
  `UPDATE ai_evaluation_runs SET status = 'failed', error = 'The instance was moved to another account.', finished_at = :now
   WHERE instance_id = :instanceId AND status = 'running'`,
)
export const rehomeEvaluations = sql<Rehome>(
  'UPDATE ai_evaluations SET account_id = :accountId WHERE instance_id = :instanceId',
)
export const rehomeRuns = sql<Rehome>(
  'UPDATE ai_evaluation_runs SET account_id = :accountId WHERE instance_id = :instanceId',
)
export const insertResult = sql<ResultRow & { runSeq: number }>(
  `INSERT INTO ai_evaluation_results (run_seq, position, passed, reply, handoff, missing, duration_ms)
   VALUES (:runSeq, :position, :passed, :reply, :handoff, :missing, :durationMs)
   ON CONFLICT (run_seq, position) DO NOTHING`,
)
export const resultsOf = sql<{ runSeq: number }, ResultRow>(
  `SELECT position, passed, reply, handoff, missing, duration_ms AS durationMs FROM ai_evaluation_results
   WHERE run_seq = :runSeq ORDER BY position LIMIT 1000`,
)
export const removeResults = sql<OfEvaluation>(
  `DELETE FROM ai_evaluation_results WHERE run_seq IN (
     SELECT seq FROM ai_evaluation_runs WHERE evaluation_seq = :evaluationSeq)`,
)
export const removeRuns = sql<OfEvaluation>('DELETE FROM ai_evaluation_runs WHERE evaluation_seq = :evaluationSeq')
