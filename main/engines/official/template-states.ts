import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { Template, TemplateState, UnusableTemplate } from '../templates.ts'
import { textAt, type Json } from './json.ts'
import type { ConnectedNumber, Numbers } from './numbers.ts'

interface Owner {
  readonly accountId: AccountId
  readonly wabaId: string
}
interface Row {
  readonly id: string
  readonly name: string
  readonly language: string
  readonly state: TemplateState
  readonly sinceMs: number
}
type OwnedRow = Owner & Row

const COLUMNS = 'template_id AS id, name, language, state, since AS sinceMs'

const ofBusiness = sql<Owner, Row>(
  `SELECT ${COLUMNS} FROM official_template_states WHERE account_id = :accountId AND waba_id = :wabaId`,
)
const ofAccount = sql<{ accountId: AccountId; rows: number }, OwnedRow>(
  `SELECT account_id AS accountId, waba_id AS wabaId, ${COLUMNS} FROM official_template_states
   WHERE account_id = :accountId ORDER BY since DESC, template_id DESC LIMIT :rows`,
)
const ofClients = sql<{ accountId: AccountId; rows: number }, OwnedRow & { client: string }>(
  `SELECT t.account_id AS accountId, t.waba_id AS wabaId, t.template_id AS id, t.name, t.language, t.state,
     t.since AS sinceMs, a.name AS client
   FROM accounts a JOIN official_template_states t ON t.account_id = a.id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND a.status = 'active'
   ORDER BY a.id LIMIT :rows`,
)
/** A late callback does not overwrite a newer state. */
const keep = sql<OwnedRow>(
  `INSERT INTO official_template_states (account_id, waba_id, template_id, name, language, state, since)
   VALUES (:accountId, :wabaId, :id, :name, :language, :state, :sinceMs)
   ON CONFLICT (account_id, waba_id, template_id) DO UPDATE SET name = excluded.name, language = excluded.language,
     state = excluded.state, since = excluded.since
   WHERE excluded.since >= official_template_states.since`,
)
const drop = sql<Owner & { id: string; atMs: number }>(
  `DELETE FROM official_template_states
   WHERE account_id = :accountId AND waba_id = :wabaId AND template_id = :id AND since <= :atMs`,
)
const prune = sql<{ accountId: AccountId; before: number }>(
  'DELETE FROM official_template_states WHERE account_id = :accountId AND since < :before',
)

/** Limit of templates listed for an account, and for all clients of an agency. */
const MOST = 500
/** After this long without a change, a template is considered unused. */
const KEEP_MS = 30 * 24 * 60 * 60_000

/** By the event of a callback, and by the status in Meta's list. */
const STATES: Readonly<Record<string, TemplateState>> = {
  ...{ REJECTED: 'rejected', PAUSED: 'paused', DISABLED: 'disabled', LOCKED: 'disabled' },
}
/** Meta warns that it may pause the template. Messages are still sent. */
const WARNING = 'FLAGGED'

type Listed = Pick<Template, 'id' | 'name' | 'language' | 'status'>
export type TemplateStates = ReturnType<typeof createTemplateStates>

/** Templates that Meta has rejected, paused or disabled. Updated by callbacks and by every list of templates. */
export function createTemplateStates({ db, clock }: { readonly db: Db; readonly clock: Pick<Clock, 'now'> }) {
  const change = async (tx: Tx, row: Owner & Omit<Row, 'state'> & { state: TemplateState | undefined }) => {
    const { state, ...template } = row
    if (state !== undefined) await tx.run(keep, { ...template, state })
    else
      await tx.run(drop, {
        ...{ accountId: row.accountId, wabaId: row.wabaId, id: row.id, atMs: row.sinceMs },
      })
  }

  const numbersOf = (numbers: Pick<Numbers, 'ofAccount'>, { accountId, wabaId }: Owner) =>
    numbers
      .ofAccount(wabaId)
      .filter((number) => number.accountId === accountId)
      .map(({ instanceId }) => instanceId)

  return {
    /** @param value of a callback `message_template_status_update`. */
    async note({ accountId, wabaId }: Owner, value: Json, atMs: number): Promise<void> {
      const id = value['message_template_id']
      const [name, language] = [textAt(value, 'message_template_name'), textAt(value, 'message_template_language')]
      const event = textAt(value, 'event') ?? ''
      if ((typeof id !== 'number' && typeof id !== 'string') || name === null || language === null) return
      if (event === WARNING) return
      await db.commit(async (tx) => {
        await tx.run(prune, { accountId, before: clock.now() - KEEP_MS })
        const template = { accountId, wabaId, id: String(id), name, language }
        await change(tx, { ...template, state: STATES[event], sinceMs: atMs })
      })
    },

    /**
     * Stores the states in Meta's current list.
     * @param isAll the list has every template of the business account.
     */
    async renew({ accountId, wabaId }: ConnectedNumber, listed: readonly Listed[], isAll: boolean): Promise<void> {
      const owner = { accountId, wabaId }
      const known = new Map((await db.read(ofBusiness, owner)).map((row) => [row.id, row]))
      const now = clock.now()
      const changed = listed.filter(({ id, status }) => known.get(id)?.state !== STATES[status])
      const ids = new Set(listed.map(({ id }) => id))
      const gone = isAll ? [...known.values()].filter(({ id }) => !ids.has(id)) : []
      if (changed.length + gone.length === 0) return
      await db.commit(async (tx) => {
        for (const { id, name, language, status } of changed)
          await change(tx, { ...owner, id, name, language, state: STATES[status], sinceMs: now })
        for (const { id } of gone) await tx.run(drop, { ...owner, id, atMs: now })
      })
    },

    /** Templates of an account that has a number for them, the latest first. */
    async ofAccount(accountId: AccountId, numbers: Pick<Numbers, 'ofAccount'>): Promise<UnusableTemplate[]> {
      const rows = await db.read(ofAccount, { accountId, rows: MOST })
      return rows.flatMap(({ name, language, state, sinceMs, ...owner }) => {
        const instanceIds = numbersOf(numbers, owner)
        return instanceIds.length === 0 ? [] : [{ name, language, state, sinceMs, instanceIds }]
      })
    },

    /** The same for the clients of an agency. */
    async ofClients(accountId: AccountId, numbers: Pick<Numbers, 'ofAccount'>) {
      const rows = await db.read(ofClients, { accountId, rows: MOST })
      return rows
        .toSorted((one, other) => other.sinceMs - one.sinceMs)
        .flatMap(({ client, name, language, state, sinceMs, ...owner }) => {
          const instanceIds = numbersOf(numbers, owner)
          const account = { id: owner.accountId, name: client }
          return instanceIds.length === 0 ? [] : [{ account, name, language, state, sinceMs, instanceIds }]
        })
    },
  }
}
