import type { Database } from 'better-sqlite3'
import { CLOCK_MOVED } from '../kernel/meta.ts'
import { FACT_TABLES, secretMark, valueInSql } from './fact-tables.ts'
import { EVERY_SEQUENCE } from './sequences.ts'

/** The JSON value of a column. */
export type FactValue = string | number | null

/** The last fact of each row. */
export interface Facts {
  /** From when all facts are known; Infinity: never. */
  readonly sinceMs: number
  /** Total change of the clock; null: unchanged since then. */
  readonly clockMovedMs: number | null
  /** By table: the columns of existing rows, and the keys of removed ones. */
  readonly tables: ReadonlyMap<string, { readonly rows: readonly FactValue[][]; readonly gone: readonly FactValue[][] }>
}

/** Attaches the facts as an in-memory database named `present`, with their tables and columns. */
export function attachFacts(copy: Database, { tables, clockMovedMs }: Facts): void {
  copy.exec("ATTACH DATABASE ':memory:' AS present")
  copy.transaction(() => {
    copy.exec('CREATE TABLE present.meta (name, value)')
    if (clockMovedMs !== null)
      copy.prepare('INSERT INTO present.meta VALUES (?, ?)').run(CLOCK_MOVED, String(clockMovedMs))
    for (const [table, { key, columns, blobs = [], isRemovalKept }] of Object.entries(FACT_TABLES)) {
      const found = tables.get(table) ?? { rows: [], gone: [] }
      const all = [...key, ...columns]
      fill(`present.${table}`, all, found.rows, key, (row) =>
        all.map((name, at) => {
          const value = row[at] ?? null
          return blobs.includes(name) && value !== null ? Buffer.from(`${value}`, 'hex') : value
        }),
      )
      if (isRemovalKept === true) fill(`temp.gone_${table}`, key, found.gone, key, (row) => row)
    }
  })()

  function fill(
    name: string,
    columns: readonly string[],
    rows: readonly FactValue[][],
    key: readonly string[],
    read: (row: FactValue[]) => (FactValue | Buffer)[],
  ): void {
    copy.exec(`DROP TABLE IF EXISTS ${name}`)
    // Without types, so that integers are read as integers.
    copy.exec(`CREATE TABLE ${name} (${columns.join(', ')}, UNIQUE (${key.join(', ')}))`)
    const insert = copy.prepare(`INSERT INTO ${name} VALUES (${columns.map(() => '?').join(', ')})`)
    for (const row of rows) insert.run(read(row))
  }
}

/**
 * Rows that earlier restores removed, so that only the facts know them: they are missing from the attached database
 * `present`.
 */
export function factsBeyond(copy: Database, { tables, ...facts }: Facts): Facts {
  const beyond = Object.entries(FACT_TABLES).map(([table, { key }]) => {
    const has = copy
      .prepare(`SELECT 1 FROM present.${table} WHERE ${key.map((name) => `${name} = ?`).join(' AND ')}`)
      .pluck()
    const isUnknown = (row: readonly FactValue[]) => has.get(row.slice(0, key.length)) === undefined
    const { rows = [], gone = [] } = tables.get(table) ?? {}
    return [table, { rows: rows.filter(isUnknown), gone: gone.filter(isUnknown) }] as const
  })
  return { ...facts, tables: new Map(beyond) }
}

const HAS_ACCOUNT = 'account_id IN (SELECT id FROM main.accounts)'

/** Far more numbers than a backup can be behind: nothing above can have been used before. */
const SKIPPED_NUMBERS = 1_000_000
const SKIPPED_TURNS = 10_000

/** Updates the shared columns of rows that exist in both. */
const updated = (table: string, columns: readonly string[]): string =>
  `UPDATE main.${table} SET ${columns.map((name) => `${name} = p.${name}`).join(', ')} FROM present.${table} p
    WHERE ${(FACT_TABLES[table]?.key ?? []).map((name) => `p.${name} = ${table}.${name}`).join(' AND ')}`

/**
 * Adds rows, and updates those that exist in both. If a failed commit was repeated, two such rows may conflict; the
 * first is enough.
 */
const added = ([table, { key, columns }]: [string, (typeof FACT_TABLES)[string]]): string[] => {
  const all = [...key, ...columns].join(', ')
  return [
    updated(table, columns),
    `INSERT INTO main.${table} (${all}) SELECT ${all} FROM present.${table} WHERE ${HAS_ACCOUNT} ON CONFLICT DO NOTHING`,
  ]
}

const SECRET_REPLACED =
  'A backup was restored from before the secret was replaced or ended, so the secret no longer works. Create a new one with POST …/crm-webhook/rotate-secret, and enter it in the CRM. Everything waits until then.'

/** The backup's secret was replaced since, or ended with its creator's access; the new one is not stored in facts. */
const CRM_SECRETS = [
  'DROP TABLE IF EXISTS temp.ended_secrets',
  `CREATE TEMP TABLE ended_secrets AS SELECT l.seq, l.queue FROM main.crm_links l JOIN present.crm_links p ON p.seq = l.seq
    WHERE l.kind = 'webhook' AND l.secret_enc IS NOT NULL AND p.secret_mark <> ${secretMark('l.secret_enc')}`,
  `UPDATE main.crm_links SET secret_enc = NULL, secret_last4 = NULL, secret_created_by = NULL, state = 'reconnect_required',
     error_code = 'secret_ended', error_message = '${SECRET_REPLACED}', error_at = :now
    WHERE seq IN (SELECT seq FROM ended_secrets)`,
  `UPDATE main.crm_queues SET suspended = 1, failures = 0, failing_since = NULL
    WHERE id IN (SELECT queue FROM ended_secrets)`,
  `UPDATE main.crm_links SET prev_secret_enc = NULL, prev_expires_at = NULL, prev_secret_created_by = NULL
    WHERE prev_secret_enc IS NOT NULL AND (seq IN (SELECT seq FROM ended_secrets) OR seq IN (SELECT p.seq
      FROM present.crm_links p JOIN main.crm_links l ON l.seq = p.seq
     WHERE p.prev_secret_mark <> ${secretMark('l.prev_secret_enc')}))`,
]

/**
 * Data now goes to another URL or with another secret, which facts do not contain. null: recorded by an earlier
 * version.
 */
const goesElsewhere = (table: string): string =>
  `EXISTS (SELECT 1 FROM present.${table} p
    WHERE ${(FACT_TABLES[table]?.key ?? []).map((name) => `p.${name} = ${table}.${name}`).join(' AND ')}
      AND p.destination_mark <> ${valueInSql(table, 'destination_mark', table)})`

/** Nothing is sent to the backup's URL until a person confirms it. */
const DESTINATIONS = [
  `UPDATE main.webhooks SET state = 'paused', disabled_reason = NULL
    WHERE state = 'active' AND ${goesElsewhere('webhooks')}`,
  `UPDATE main.instance_webhooks SET ended = 1 WHERE ${goesElsewhere('instance_webhooks')}`,
  `UPDATE main.crm_links SET paused = 1 WHERE ${goesElsewhere('crm_links')}`,
  `UPDATE main.ai_http_tools SET enabled = 0 WHERE ${goesElsewhere('ai_http_tools')}`,
  ...['ai_provider_keys', 'voice_trunks', 'voice_speech'].map(
    (table) => `DELETE FROM main.${table} WHERE ${goesElsewhere(table)}`,
  ),
  `UPDATE main.voice_instances SET settings = json_set(settings, '$.summary_emails', json('[]'))
    WHERE json_valid(settings) AND ${goesElsewhere('voice_instances')}`,
]

const LINE = FACT_TABLES['instance_line_settings']?.columns.filter((name) => name !== 'proxy_mark') ?? []

/** The password of another proxy is not stored in facts: without it the number does not connect, and reports why. */
const LINE_SETTINGS = [
  `DELETE FROM main.instance_line_settings WHERE instance_id IN (SELECT instance_id FROM gone_instance_line_settings)`,
  `INSERT INTO main.instance_line_settings (instance_id, ${LINE.join(', ')}, updated_at)
    SELECT instance_id, ${LINE.join(', ')}, :now FROM present.instance_line_settings
     WHERE instance_id IN (SELECT id FROM main.instances) AND NOT EXISTS (SELECT 1 FROM main.instances i
       JOIN present.instances p ON p.id = i.id AND p.account_id <> i.account_id WHERE i.id = instance_id)
    ON CONFLICT (instance_id) DO UPDATE SET ${LINE.map((name) => `${name} = excluded.${name}`).join(', ')},
      proxy_sealed = CASE WHEN (SELECT p.proxy_mark FROM present.instance_line_settings p
          WHERE p.instance_id = excluded.instance_id) = ${secretMark('instance_line_settings.proxy_sealed')}
        THEN instance_line_settings.proxy_sealed END`,
]

/** What the strictest rules leave open. */
export const FROM_FACTS_LAST = [
  // The receiver has another secret, and perhaps another URL.
  `UPDATE main.webhooks SET state = 'paused', disabled_reason = NULL FROM present.webhooks p
    WHERE p.id = webhooks.id AND p.secret_version > webhooks.secret_version AND webhooks.state = 'active'`,
  ...DESTINATIONS,
  ...LINE_SETTINGS,
  `UPDATE main.brands SET allowed_origins = p.allowed_origins FROM present.brands p
    WHERE p.account_id = brands.account_id`,
]

/** An old password must not sign in again; the new one is not stored in facts. */
const MEMBERS_PASSWORDS = `UPDATE main.members SET password_salt = NULL, password_hash = NULL, password_cost = NULL
    WHERE id IN (SELECT p.id FROM present.members p JOIN main.members m ON m.id = p.id
      WHERE p.password_mark IS NOT hex(substr(COALESCE(m.password_hash, x''), 1, 4)))`

const CAMPAIGNS = [
  // Positions are never reused, because they are part of the key of a send.
  `UPDATE main.campaigns SET status = p.status, pause_reason = p.pause_reason, scheduled_at = p.scheduled_at,
     started_at = p.started_at, finished_at = p.finished_at, next_position = max(campaigns.next_position, p.next_position)
    FROM present.campaigns p WHERE p.id = campaigns.id`,
  updated('campaign_recipients', [
    ...['instance_id', 'variation', 'status', 'message_id', 'error_code', 'skip_reason', 'claimed_at', 'sent_at'],
  ]),
]

/** A connection that a person ended stays ended. The session of a logged-out phone is useless. */
const ENDED_CONNECTIONS = `UPDATE main.instances SET status = 'disconnected', status_at = :now, will_retry = 0,
     next_retry_at = NULL, link_lost_at = NULL, qr_attempt = NULL, qr_expires_at = NULL,
     last_disconnect_reason = p.last_disconnect_reason, disconnect_code = NULL,
     down_at = CASE p.last_disconnect_reason WHEN 'logout' THEN NULL ELSE COALESCE(instances.down_at, :now) END,
     logged_in = CASE p.last_disconnect_reason WHEN 'logout' THEN 0 ELSE instances.logged_in END,
     phone_number = CASE p.last_disconnect_reason WHEN 'logout' THEN NULL ELSE instances.phone_number END,
     profile_name = CASE p.last_disconnect_reason WHEN 'logout' THEN NULL ELSE instances.profile_name END,
     discard = CASE p.last_disconnect_reason WHEN 'logout' THEN 'wipe' ELSE instances.discard END
    FROM present.instances p
    WHERE p.id = instances.id AND p.deleted_at IS NULL AND instances.deleted_at IS NULL AND instances.status <> 'created'
      AND p.status = 'disconnected' AND p.last_disconnect_reason IN ('user', 'moved', 'logout')`

/** People who may have asked for no more campaigns. Their messages are not stored in facts. */
const OPT_OUT_QUESTIONS = [
  `DELETE FROM main.opt_out_questions WHERE (instance_id, number) IN
     (SELECT instance_id, number FROM gone_opt_out_questions)`,
  `INSERT OR REPLACE INTO main.opt_out_questions
     (seq, account_id, instance_id, number, chat, message_id, text, created_at, dismissed_at)
    SELECT p.seq, p.account_id, p.instance_id, p.number, p.chat, p.message_id, COALESCE(q.text, ''), p.created_at,
        p.dismissed_at
      FROM present.opt_out_questions p LEFT JOIN main.opt_out_questions q
        ON q.instance_id = p.instance_id AND q.number = p.number AND q.message_id = p.message_id
     WHERE p.account_id IN (SELECT id FROM main.accounts) AND p.instance_id IN (SELECT id FROM main.instances)`,
]

/** The latest limits that a person set. */
const LIMITS = [
  `INSERT INTO main.message_budgets (account_id, amount_micros, currency, warn_percent, updated_at)
    SELECT account_id, amount_micros, currency, warn_percent, updated_at FROM present.message_budgets
     WHERE ${HAS_ACCOUNT}
    ON CONFLICT (account_id) DO UPDATE SET amount_micros = excluded.amount_micros, currency = excluded.currency,
      warn_percent = excluded.warn_percent`,
  `UPDATE main.voice_widgets SET allowed_origins = p.allowed_origins, daily_cap = p.daily_cap
    FROM present.voice_widgets p WHERE p.id = voice_widgets.id AND p.daily_cap IS NOT NULL`,
]

const ADDED = [
  `DELETE FROM main.entitlement_grants WHERE (source, source_key) IN (SELECT source, source_key FROM gone_entitlement_grants)`,
  ...Object.entries(FACT_TABLES)
    .filter(([, { isAdded }]) => isAdded === true)
    .flatMap(added),
]

/** Recipients to whom a campaign wrote since the backup. They wait for a person with their campaign. */
export const SENT_BEYOND = `INSERT INTO temp.has_sent SELECT DISTINCT p.campaign_id FROM present.campaign_recipients p
    JOIN main.campaign_recipients r ON r.campaign_id = p.campaign_id AND r.position = p.position
    WHERE p.claimed_at IS NOT NULL AND r.claimed_at IS NOT p.claimed_at`

/** For rows that an earlier restore removed and that the backup contains again. */
export const FROM_FACTS_BEYOND = [
  ...[MEMBERS_PASSWORDS, ...CAMPAIGNS, ...CRM_SECRETS, ENDED_CONNECTIONS, ...OPT_OUT_QUESTIONS, ...LIMITS],
  ...ADDED,
]

/** Replaces `kept-rows.ts` when only facts are known. */
export const FROM_FACTS = [
  // A sequence may have started since.
  `INSERT INTO main.counters (name, value) VALUES ('${EVERY_SEQUENCE}', 0) ON CONFLICT (name) DO NOTHING`,
  `UPDATE main.counters SET value = value + ${SKIPPED_NUMBERS}`,
  `UPDATE main.instances SET event_sequence = event_sequence + ${SKIPPED_NUMBERS}`,
  `UPDATE main.ai_conversations SET next_turn = next_turn + ${SKIPPED_TURNS}`,
  // A session that ended since must not be open again.
  'DELETE FROM main.console_sessions',
  // An old password must not sign in again; the new one is not stored in facts.
  `DELETE FROM main.console_passwords WHERE account_id IN (SELECT account_id FROM gone_console_passwords)
     OR account_id IN (SELECT p.account_id FROM present.console_passwords p JOIN main.console_passwords c
       ON c.account_id = p.account_id WHERE p.password_mark IS NOT hex(substr(c.hash, 1, 4)))`,
  MEMBERS_PASSWORDS,
  ...CAMPAIGNS,
  ...CRM_SECRETS,
  ENDED_CONNECTIONS,
  ...OPT_OUT_QUESTIONS,
  ...LIMITS,
  // Pages that connect a number are renewed when somebody who could open them loses access. They are made when needed.
  `UPDATE main.official_numbers SET token = NULL, token_hash = NULL, token_sealed = NULL,
    signup_state = NULL, signup_expires_at = NULL`,
  'UPDATE main.sandbox_lines SET token = NULL, token_hash = NULL, token_sealed = NULL',
  ...ADDED,
  `INSERT INTO main.billing_callbacks (owner, event_id, body, received_at, processed_at)
    SELECT owner, event_id, x'', received_at, processed_at FROM present.billing_callbacks WHERE true
    ON CONFLICT (owner, event_id) DO UPDATE SET processed_at = excluded.processed_at`,
  updated('billing_clients', ['revision', 'state', 'customer_id', 'subscription_id', 'period_end', 'reported_until']),
]
