import type { InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

type Id = { id: string }

const OF_INSTANCE = 'official_id = :id OR smv2_id = :id'

/** The instance it is fused with, from either side. */
export const partnerOf = sql<Id, { partnerId: InstanceId }>(
  `SELECT CASE official_id WHEN :id THEN smv2_id ELSE official_id END AS partnerId FROM fusions WHERE ${OF_INSTANCE}`,
)

export const insertFusion = sql<{ officialId: string; smv2Id: string; number: string; now: number }>(
  'INSERT INTO fusions (official_id, smv2_id, number, created_at) VALUES (:officialId, :smv2Id, :number, :now)',
)

export const removeFusion = sql<Id>(`DELETE FROM fusions WHERE ${OF_INSTANCE}`)

export const removeFusionOfOther = sql<Id & { number: string }>(
  `DELETE FROM fusions WHERE (${OF_INSTANCE}) AND number <> :number`,
)
