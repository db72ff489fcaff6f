import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'
import type { OptOutSource } from './contract.ts'

export const WHOLE_ACCOUNT = 'account'

export interface OptOut {
  readonly seq: number
  readonly phone: string
  /** `account`, or the id of an instance. */
  readonly scope: string
  readonly source: OptOutSource
  readonly note: string | null
  /** The message that asked for it, or for which Meta reported it. */
  readonly messageId: string | null
  /** The instance of that message. */
  readonly messageInstance: string | null
  readonly createdAtMs: number
}

/** Data for subscribers, in the commit of the change. */
export interface OptOutChange {
  readonly accountId: AccountId
  readonly phone: string
  /** null: the whole account. */
  readonly instanceId: InstanceId | null
  readonly source: OptOutSource
  readonly atMs: number
}

const COLUMNS = `seq, phone, scope, source, note, message_id AS messageId, message_instance AS messageInstance,
  created_at AS createdAtMs`

export const insertOptOut = sql<
  Omit<OptOut, 'createdAtMs'> & { accountId: string; number: string; createdAtMs: number }
>(
  `INSERT INTO opt_outs (seq, account_id, number, scope, phone, source, note, message_id, message_instance, created_at)
   VALUES (:seq, :accountId, :number, :scope, :phone, :source, :note, :messageId, :messageInstance, :createdAtMs)
   ON CONFLICT (account_id, number, scope) DO NOTHING`,
)

export const optOutOf = sql<{ accountId: string; number: string; scope: string }, OptOut>(
  `SELECT ${COLUMNS} FROM opt_outs WHERE account_id = :accountId AND number = :number AND scope = :scope`,
)

export const optOutsOfNumber = sql<{ accountId: string; number: string }, OptOut>(
  `SELECT ${COLUMNS} FROM opt_outs WHERE account_id = :accountId AND number = :number ORDER BY scope`,
)

export const optOutsPage = sql<{ accountId: string; before: number; rows: number }, OptOut>(
  `SELECT ${COLUMNS} FROM opt_outs WHERE account_id = :accountId AND seq < :before ORDER BY seq DESC LIMIT :rows`,
)

export const removeOptOut = sql<{ accountId: string; number: string; scope: string }>(
  'DELETE FROM opt_outs WHERE account_id = :accountId AND number = :number AND scope = :scope',
)

export const rehomeOptOuts = sql<{ scope: string; to: string }>(
  "UPDATE opt_outs SET account_id = :to WHERE scope = :scope AND scope <> 'account'",
)

export const removeOptOutsOfInstance = sql<{ scope: string }>(
  "DELETE FROM opt_outs WHERE scope = :scope AND scope <> 'account'",
)

export const scopesOfNumbers = sqlOfList<string, { accountId: string }, { number: string; scope: string }>(
  (list) => `SELECT number, scope FROM opt_outs WHERE account_id = :accountId AND number IN (${list})`,
)

export type KeyedOptOut = {
  readonly seq: number
  readonly accountId: string
  readonly number: string
  readonly scope: string
}
export const optOutsAfter = sql<{ after: number; rows: number }, KeyedOptOut>(
  `SELECT seq, account_id AS accountId, number, scope FROM opt_outs WHERE seq > :after ORDER BY seq LIMIT :rows`,
)
export const setOptOutNumber = sql<{ seq: number; number: string }>(
  'UPDATE opt_outs SET number = :number WHERE seq = :seq',
)

export interface SettingsRow {
  readonly country: string | null
  /** JSON: Keywords of each language that was changed. */
  readonly keywords: string
  /** JSON: titles and ids of the buttons that opt out. */
  readonly buttons: string
}

export const settingsOf = sql<{ accountId: AccountId }, SettingsRow>(
  'SELECT country, keywords, buttons FROM opt_out_settings WHERE account_id = :accountId',
)

export const saveSettings = sql<SettingsRow & { accountId: AccountId }>(
  `INSERT INTO opt_out_settings (account_id, country, keywords, buttons)
   VALUES (:accountId, :country, :keywords, :buttons)
   ON CONFLICT (account_id) DO UPDATE SET
     country = excluded.country, keywords = excluded.keywords, buttons = excluded.buttons`,
)
