import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import { textAt, type Json } from './json.ts'
import type { ConnectedNumber } from './numbers.ts'

interface Owner {
  readonly accountId: AccountId
  readonly wabaId: string
}

const since = sql<Owner & { sinceMs: number }, { id: string }>(
  `SELECT template_id AS id FROM official_recategorized_templates
   WHERE account_id = :accountId AND waba_id = :wabaId AND changed_at >= :sinceMs`,
)
const keep = sql<Owner & { id: string; atMs: number }>(
  `INSERT INTO official_recategorized_templates (account_id, waba_id, template_id, changed_at)
   VALUES (:accountId, :wabaId, :id, :atMs)
   ON CONFLICT (account_id, waba_id, template_id) DO UPDATE SET changed_at = excluded.changed_at`,
)
const prune = sql<{ accountId: AccountId; before: number }>(
  'DELETE FROM official_recategorized_templates WHERE account_id = :accountId AND changed_at < :before',
)

/** Meta suspends utility templates for 30 days at most. */
const KEEP_MS = 60 * 24 * 60 * 60_000

export type RecategorizedTemplates = ReturnType<typeof createRecategorizedTemplates>

/**
 * Templates that Meta turned from utility into marketing templates, which it does when it suspends utility templates.
 */
export function createRecategorizedTemplates({ db, clock }: { readonly db: Db; readonly clock: Pick<Clock, 'now'> }) {
  return {
    /** @param value of a callback `template_category_update`. */
    async note({ accountId, wabaId }: ConnectedNumber, value: Json, atMs: number): Promise<void> {
      const id = value['message_template_id']
      const isRecategorized =
        textAt(value, 'previous_category') === 'UTILITY' && textAt(value, 'new_category') === 'MARKETING'
      if (!isRecategorized || (typeof id !== 'number' && typeof id !== 'string')) return
      await db.commit(async (tx) => {
        await tx.run(prune, { accountId, before: clock.now() - KEEP_MS })
        await tx.run(keep, { accountId, wabaId, id: String(id), atMs })
      })
    },

    /** The ids of these templates. */
    async since({ accountId, wabaId }: ConnectedNumber, sinceMs: number): Promise<ReadonlySet<string>> {
      return new Set((await db.read(since, { accountId, wabaId, sinceMs })).map(({ id }) => id))
    },
  }
}
