import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { sql } from '../../kernel/sql.ts'
import type { Template } from '../templates.ts'
import { recordAt, textAt, type Json } from './json.ts'
import type { ConnectedNumber } from './numbers.ts'

type Owner = { accountId: string; wabaId: string }
type Named = { name: string; language: string }

const ofBusiness = sql<Owner, Named & { ttlSeconds: number }>(
  `SELECT name, language, ttl_seconds AS ttlSeconds FROM official_template_lifetimes
   WHERE account_id = :accountId AND waba_id = :wabaId`,
)
const one = sql<Owner & Named, { ttlSeconds: number }>(
  `SELECT ttl_seconds AS ttlSeconds FROM official_template_lifetimes
   WHERE account_id = :accountId AND waba_id = :wabaId AND name = :name AND language = :language`,
)
const keep = sql<Owner & Named & { ttlSeconds: number }>(
  `INSERT INTO official_template_lifetimes (account_id, waba_id, name, language, ttl_seconds)
   VALUES (:accountId, :wabaId, :name, :language, :ttlSeconds)
   ON CONFLICT (account_id, waba_id, name, language) DO UPDATE SET ttl_seconds = excluded.ttl_seconds`,
)
const drop = sql<Owner & Named>(
  `DELETE FROM official_template_lifetimes
   WHERE account_id = :accountId AND waba_id = :wabaId AND name = :name AND language = :language`,
)

type Seen = Pick<Template, 'name' | 'language' | 'ttlSeconds'>

export type TemplateLifetimes = ReturnType<typeof createTemplateLifetimes>

/** How long Meta tries to deliver messages with each template, as of the last time the templates were read. */
export function createTemplateLifetimes({ db, clock }: { readonly db: Db; readonly clock: Pick<Clock, 'now'> }) {
  const keyOf = ({ name, language }: Named) => JSON.stringify([name, language])

  return {
    async note({ accountId, wabaId }: ConnectedNumber, seen: readonly Seen[]): Promise<void> {
      const owner = { accountId, wabaId }
      const rows = await db.read(ofBusiness, owner)
      const known = new Map(rows.map((row) => [keyOf(row), row.ttlSeconds]))
      const changed = seen.filter((each) => (known.get(keyOf(each)) ?? null) !== each.ttlSeconds)
      if (changed.length === 0) return
      await db.commit(async (tx) => {
        for (const { name, language, ttlSeconds } of changed) {
          if (ttlSeconds === null) await tx.run(drop, { ...owner, name, language })
          else await tx.run(keep, { ...owner, name, language, ttlSeconds })
        }
      })
    },

    /** When Meta drops a message that is sent now; null: the template sets no time limit. */
    async endOf({ accountId, wabaId }: ConnectedNumber, payload: Json): Promise<number | null> {
      const template = recordAt(payload, 'template')
      const [name, language] = [textAt(template, 'name'), textAt(recordAt(template, 'language'), 'code')]
      if (name === null || language === null) return null
      const found = await db.readOne(one, { accountId, wabaId, name, language })
      return found === undefined ? null : clock.now() + found.ttlSeconds * 1_000
    },
  }
}
