import type { Db } from '../../kernel/db.ts'
import { REKEYING_PORTION, rekey } from '../../kernel/rekeying.ts'
import { sql } from '../../kernel/sql.ts'

type NumberedFusion = { readonly officialId: string; readonly number: string }
const fusionsAfter = sql<{ after: string; rows: number }, NumberedFusion>(
  `SELECT official_id AS officialId, number FROM fusions WHERE official_id > :after ORDER BY official_id LIMIT :rows`,
)
const setFusionNumber = sql<NumberedFusion>('UPDATE fusions SET number = :number WHERE official_id = :officialId')

/** Replaces the keys of fusions from earlier versions by those that are compared now. */
export const rekeyFusions = (db: Db): Promise<number> =>
  rekey<NumberedFusion>(db, {
    table: 'fusions',
    page: (after) => db.read(fusionsAfter, { after: after?.officialId ?? '', rows: REKEYING_PORTION }),
    move: (tx, { officialId }, number) => tx.run(setFusionNumber, { officialId, number }),
  })
