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

const ofBusiness = sql<Owner, { id: string; atMs: number }>(
  `SELECT template_id AS id, archived_at AS atMs FROM official_archived_templates
   WHERE account_id = :accountId AND waba_id = :wabaId`,
)
const keep = sql<Owner & { id: string; atMs: number }>(
  `INSERT INTO official_archived_templates (account_id, waba_id, template_id, archived_at)
   VALUES (:accountId, :wabaId, :id, :atMs)
   ON CONFLICT (account_id, waba_id, template_id) DO UPDATE SET archived_at = excluded.archived_at`,
)
const drop = sql<Owner & { id: string }>(
  `DELETE FROM official_archived_templates
   WHERE account_id = :accountId AND waba_id = :wabaId AND template_id = :id`,
)
const prune = sql<{ accountId: AccountId; before: number }>(
  'DELETE FROM official_archived_templates WHERE account_id = :accountId AND archived_at < :before',
)

const DAY_MS = 24 * 60 * 60_000
/** Meta: "Template management", 2026-04-13. */
const DELETED_AFTER_MS = 28 * DAY_MS
const ENDS: readonly string[] = ['UNARCHIVED', 'APPROVED', 'DELETED']

export type ArchivedTemplates = ReturnType<typeof createArchivedTemplates>

/** When Meta archived templates. Only callbacks report this. */
export function createArchivedTemplates({ db, clock }: { readonly db: Db; readonly clock: Pick<Clock, 'now'> }) {
  return {
    /** @param value of a callback `message_template_status_update`. */
    async note({ accountId, wabaId }: ConnectedNumber, value: Json, atMs: number): Promise<void> {
      const [id, event] = [value['message_template_id'], textAt(value, 'event') ?? '']
      if (typeof id !== 'number' && typeof id !== 'string') return
      if (event !== 'ARCHIVED' && !ENDS.includes(event)) return
      const template = { accountId, wabaId, id: String(id) }
      await db.commit(async (tx) => {
        await tx.run(prune, { accountId, before: clock.now() - 2 * DELETED_AFTER_MS })
        if (event === 'ARCHIVED') await tx.run(keep, { ...template, atMs })
        else await tx.run(drop, template)
      })
    },

    /** When Meta deletes each of them, by id. */
    async deletions({ accountId, wabaId }: ConnectedNumber): Promise<ReadonlyMap<string, number>> {
      const rows = await db.read(ofBusiness, { accountId, wabaId })
      return new Map(rows.map(({ id, atMs }) => [id, atMs + DELETED_AFTER_MS]))
    },
  }
}
