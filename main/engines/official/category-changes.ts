import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { AnnouncedChange, AnnouncedChangeOfClient, CategoryChange } from '../templates.ts'
import { integerAt, textAt, type Json } from './json.ts'
import type { ConnectedNumber, Numbers } from './numbers.ts'

interface Owner {
  readonly accountId: AccountId
  readonly wabaId: string
}
interface Row {
  readonly wabaId: string
  readonly id: string
  readonly name: string
  readonly language: string
  readonly category: string
  readonly atMs: number
}

const COLUMNS = 'waba_id AS wabaId, template_id AS id, name, language, category, changes_at AS atMs'

const ofBusiness = sql<Owner & { now: number }, Row>(
  `SELECT ${COLUMNS} FROM official_template_category_changes
   WHERE account_id = :accountId AND waba_id = :wabaId AND changes_at > :now`,
)
const ofAccount = sql<{ accountId: AccountId; now: number; rows: number }, Row>(
  `SELECT ${COLUMNS} FROM official_template_category_changes
   WHERE account_id = :accountId AND changes_at > :now ORDER BY changes_at, waba_id, template_id LIMIT :rows`,
)
const ofClients = sql<
  { accountId: AccountId; now: number; rows: number },
  Row & { account: AccountId; client: string }
>(
  `SELECT t.account_id AS account, a.name AS client, t.waba_id AS wabaId, t.template_id AS id, t.name, t.language,
     t.category, t.changes_at AS atMs
   FROM accounts a JOIN official_template_category_changes t ON t.account_id = a.id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND a.status = 'active' AND t.changes_at > :now
   ORDER BY a.id LIMIT :rows`,
)
const keep = sql<{ accountId: AccountId } & Row>(
  `INSERT INTO official_template_category_changes
     (account_id, waba_id, template_id, name, language, category, changes_at)
   VALUES (:accountId, :wabaId, :id, :name, :language, :category, :atMs)
   ON CONFLICT (account_id, waba_id, template_id) DO UPDATE SET name = excluded.name, language = excluded.language,
     category = excluded.category, changes_at = excluded.changes_at`,
)
const drop = sql<Owner & { id: string }>(
  `DELETE FROM official_template_category_changes
   WHERE account_id = :accountId AND waba_id = :wabaId AND template_id = :id`,
)
const prune = sql<{ accountId: AccountId; before: number }>(
  'DELETE FROM official_template_category_changes WHERE account_id = :accountId AND changes_at < :before',
)

/** Limit of templates listed for an account. */
const MOST = 500
/** Kept longer than needed, because the clock may be set back. */
const KEEP_MS = 7 * 24 * 60 * 60_000
/** Longer than any of Meta's categories. */
const CATEGORY_LENGTH = 64

export type CategoryChanges = ReturnType<typeof createCategoryChanges>

/** Category changes of templates that Meta has announced. Meta announces them one day ahead, and only in a callback. */
export function createCategoryChanges({ db, clock }: { readonly db: Db; readonly clock: Pick<Clock, 'now'> }) {
  return {
    /**
     * @param value of a callback `template_category_update`. Before the change, its `new_category` holds the current
     * category.
     */
    async note({ accountId, wabaId }: ConnectedNumber, value: Json): Promise<void> {
      const template = templateOf(value)
      if (template === null) return
      const [category, seconds] = [textAt(value, 'correct_category'), integerAt(value, 'category_update_timestamp')]
      const isAnnounced =
        category !== null && seconds !== null && seconds > 0 && category !== textAt(value, 'new_category')
      await db.commit(async (tx) => {
        await tx.run(prune, { accountId, before: clock.now() - KEEP_MS })
        if (!isAnnounced) return tx.run(drop, { accountId, wabaId, id: template.id })
        const change = { category: category.slice(0, CATEGORY_LENGTH), atMs: seconds * 1_000 }
        return tx.run(keep, { accountId, wabaId, ...template, ...change })
      })
    },

    /** The changes for one business account, by template id. */
    async of({ accountId, wabaId }: ConnectedNumber): Promise<ReadonlyMap<string, CategoryChange>> {
      const rows = await db.read(ofBusiness, { accountId, wabaId, now: clock.now() })
      return new Map(rows.map(({ id, category, atMs }) => [id, { category, atMs }]))
    },

    /** The next changes for the clients of an agency, earliest first. */
    async ofClients(accountId: AccountId, numbers: Pick<Numbers, 'ofAccount'>): Promise<AnnouncedChangeOfClient[]> {
      const rows = await db.read(ofClients, { accountId, now: clock.now(), rows: MOST })
      return rows
        .toSorted((one, other) => one.atMs - other.atMs)
        .flatMap(({ account: id, client, wabaId, id: _, ...change }) => {
          const theirs = numbers.ofAccount(wabaId).filter((number) => number.accountId === id)
          const instanceIds = theirs.map(({ instanceId }) => instanceId)
          return theirs.length === 0 ? [] : [{ ...change, account: { id, name: client }, instanceIds }]
        })
    },

    /** The next changes for an account, earliest first. */
    async announced(accountId: AccountId, numbers: Pick<Numbers, 'ofAccount'>): Promise<AnnouncedChange[]> {
      const rows = await db.read(ofAccount, { accountId, now: clock.now(), rows: MOST })
      return rows.flatMap(({ wabaId, id: _, ...change }) => {
        const mine = numbers.ofAccount(wabaId).filter((number) => number.accountId === accountId)
        return mine.length === 0 ? [] : [{ ...change, instanceIds: mine.map(({ instanceId }) => instanceId) }]
      })
    },
  }
}

function templateOf(value: Json): Pick<Row, 'id' | 'name' | 'language'> | null {
  const id = value['message_template_id']
  const [name, language] = [textAt(value, 'message_template_name'), textAt(value, 'message_template_language')]
  if ((typeof id !== 'number' && typeof id !== 'string') || name === null || language === null) return null
  return { id: String(id), name, language }
}
