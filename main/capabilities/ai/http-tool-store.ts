import { sql } from '../../kernel/sql.ts'

export interface HttpToolRow {
  readonly seq: number
  readonly id: string
  readonly agentId: string
  readonly name: string
  readonly description: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  /** JSON. */
  readonly parameters: string
  readonly enabled: 0 | 1
  readonly secretHeader: string | null
  /** Sealed. */
  readonly secret: Uint8Array | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

type OfAgent = { agentId: string }

const COLUMNS = `seq, id, agent_id AS agentId, name, description, method, url, parameters, enabled,
  secret_header AS secretHeader, secret, created_at AS createdAtMs, updated_at AS updatedAtMs`

export const httpToolsPage = sql<OfAgent & { before: number; rows: number }, HttpToolRow>(
  `SELECT ${COLUMNS} FROM ai_http_tools WHERE agent_id = :agentId AND seq < :before ORDER BY seq DESC LIMIT :rows`,
)
export const httpToolById = sql<OfAgent & { id: string }, HttpToolRow>(
  `SELECT ${COLUMNS} FROM ai_http_tools WHERE id = :id AND agent_id = :agentId`,
)
export const insertHttpTool = sql<HttpToolRow & { instanceId: string }>(
  `INSERT INTO ai_http_tools (seq, id, agent_id, instance_id, name, description, method, url, parameters, enabled,
     secret_header, secret, created_at, updated_at)
   VALUES (:seq, :id, :agentId, :instanceId, :name, :description, :method, :url, :parameters, :enabled,
     :secretHeader, :secret, :createdAtMs, :updatedAtMs)`,
)
export const changeHttpTool = sql<Omit<HttpToolRow, 'id' | 'agentId' | 'createdAtMs'>>(
  `UPDATE ai_http_tools SET name = :name, description = :description, method = :method, url = :url,
     parameters = :parameters, enabled = :enabled, secret_header = :secretHeader, secret = :secret,
     updated_at = :updatedAtMs WHERE seq = :seq`,
)
export const removeHttpTool = sql<{ seq: number }>('DELETE FROM ai_http_tools WHERE seq = :seq')
export const removeHttpToolsOfAgent = sql<OfAgent>('DELETE FROM ai_http_tools WHERE agent_id = :agentId')
export const removeHttpToolsOf = sql<{ instanceId: string }>(
  'DELETE FROM ai_http_tools WHERE instance_id = :instanceId',
)
