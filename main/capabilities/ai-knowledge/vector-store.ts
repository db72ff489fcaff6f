import { sql } from '../../kernel/sql.ts'

type OfInstance = { instanceId: string }

export interface VectorRow {
  readonly ref: string
  readonly model: string
  readonly hash: string
  readonly vector: Uint8Array
}

export const vectorsAfter = sql<OfInstance & { after: string; rows: number }, VectorRow>(
  `SELECT ref, model, hash, vector FROM ai_vectors WHERE instance_id = :instanceId AND ref > :after
   ORDER BY ref LIMIT :rows`,
)
export const saveVector = sql<OfInstance & VectorRow>(
  `INSERT INTO ai_vectors (instance_id, ref, model, hash, vector) VALUES (:instanceId, :ref, :model, :hash, :vector)
   ON CONFLICT (instance_id, ref) DO UPDATE SET model = excluded.model, hash = excluded.hash, vector = excluded.vector`,
)
export const removeVector = sql<OfInstance & { ref: string }>(
  'DELETE FROM ai_vectors WHERE instance_id = :instanceId AND ref = :ref',
)
export const removeVectorsOf = sql<OfInstance>('DELETE FROM ai_vectors WHERE instance_id = :instanceId')
