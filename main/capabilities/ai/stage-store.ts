import { sql } from '../../kernel/sql.ts'

export interface Stage {
  readonly id: string
  readonly agentId: string
  readonly name: string
  readonly objective: string
  readonly exitCriteria: string | null
  readonly position: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

type OfAgent = { agentId: string }

const COLUMNS = `id, agent_id AS agentId, name, objective, exit_criteria AS exitCriteria, position,
  created_at AS createdAtMs, updated_at AS updatedAtMs`

export const stagesOf = sql<OfAgent, Stage>(
  `SELECT ${COLUMNS} FROM ai_stages WHERE agent_id = :agentId ORDER BY position LIMIT 100`,
)
export const stageById = sql<OfAgent & { id: string }, Stage>(
  `SELECT ${COLUMNS} FROM ai_stages WHERE id = :id AND agent_id = :agentId`,
)
export const insertStage = sql<Stage & { instanceId: string }>(
  `INSERT INTO ai_stages (id, agent_id, instance_id, name, objective, exit_criteria, position, created_at, updated_at)
   VALUES (:id, :agentId, :instanceId, :name, :objective, :exitCriteria, :position, :createdAtMs, :updatedAtMs)`,
)
export const changeStage = sql<Pick<Stage, 'id' | 'name' | 'objective' | 'exitCriteria' | 'updatedAtMs'>>(
  `UPDATE ai_stages SET name = :name, objective = :objective, exit_criteria = :exitCriteria, updated_at = :updatedAtMs
   WHERE id = :id`,
)
export const placeStage = sql<{ id: string; position: number }>(
  'UPDATE ai_stages SET position = :position WHERE id = :id',
)
export const removeStage = sql<{ id: string }>('DELETE FROM ai_stages WHERE id = :id')
export const removeStagesOfAgent = sql<OfAgent>('DELETE FROM ai_stages WHERE agent_id = :agentId')
export const removeStagesOf = sql<{ instanceId: string }>('DELETE FROM ai_stages WHERE instance_id = :instanceId')
