import type { MediaType } from '../../contract/shapes.ts'
import { sql } from '../../kernel/sql.ts'

export interface MediaRow {
  readonly seq: number
  readonly id: string
  readonly agentId: string
  readonly name: string
  readonly description: string
  readonly mediaId: string
  readonly mediaType: MediaType
  readonly mimeType: string
  readonly filename: string | null
  readonly size: number
  readonly createdAtMs: number
}

type OfAgent = { agentId: string }

const COLUMNS = `seq, id, agent_id AS agentId, name, description, media_id AS mediaId, media_type AS mediaType,
  mime_type AS mimeType, filename, size, created_at AS createdAtMs`

export const mediaPage = sql<OfAgent & { before: number; rows: number }, MediaRow>(
  `SELECT ${COLUMNS} FROM ai_agent_media WHERE agent_id = :agentId AND seq < :before ORDER BY seq DESC LIMIT :rows`,
)
export const mediaById = sql<OfAgent & { id: string }, MediaRow>(
  `SELECT ${COLUMNS} FROM ai_agent_media WHERE id = :id AND agent_id = :agentId`,
)
export const insertMedia = sql<MediaRow & { instanceId: string }>(
  `INSERT INTO ai_agent_media (seq, id, agent_id, instance_id, name, description, media_id, media_type, mime_type,
     filename, size, created_at)
   VALUES (:seq, :id, :agentId, :instanceId, :name, :description, :mediaId, :mediaType, :mimeType, :filename, :size,
     :createdAtMs)`,
)
export const mediaOfInstance = sql<{ instanceId: string }, Pick<MediaRow, 'seq' | 'mediaId'>>(
  'SELECT seq, media_id AS mediaId FROM ai_agent_media WHERE instance_id = :instanceId ORDER BY seq',
)
export const mediaInAccount = sql<{ accountId: string; mediaId: string }, { count: number }>(
  `SELECT COUNT(*) AS count FROM ai_agents a JOIN ai_agent_media m ON m.agent_id = a.id
   WHERE a.account_id = :accountId AND m.media_id = :mediaId`,
)
export const removeMedia = sql<{ seq: number }>('DELETE FROM ai_agent_media WHERE seq = :seq')
export const removeMediaOfAgent = sql<OfAgent>('DELETE FROM ai_agent_media WHERE agent_id = :agentId')
export const removeMediaOf = sql<{ instanceId: string }>('DELETE FROM ai_agent_media WHERE instance_id = :instanceId')
