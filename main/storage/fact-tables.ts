import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'

/** What the file of facts (fact-log.ts) stores of a table. */
export interface FactTable {
  /** Identifies rows. The last fact of a row is valid. */
  readonly key: readonly string[]
  readonly columns: readonly string[]
  /** Which of the columns are blobs; hexadecimal in the file. */
  readonly blobs?: readonly string[]
  /** Columns whose changes are recorded. Default: all. */
  readonly changes?: readonly string[]
  /** How many of the last columns are missing in lines of earlier versions, where they count as null. */
  readonly addedColumns?: number
  /**
   * Times that move when the clock is set (due-columns.ts) without a line for each row: they move when the lines are read.
   * - `deadline`: unless it has passed.
   * - `recent`: if it is of the last day.
   */
  readonly moves?: Readonly<Record<string, 'deadline' | 'recent'>>
  /** SQL condition on `NEW`: which rows are recorded. */
  readonly only?: string
  /** Whether removing a row is recorded. */
  readonly isRemovalKept?: boolean
  /**
   * When the line is on disk.
   * - `before_commit`: before the commit that makes the fact. For what a person or a provider was promised.
   * - `soon`: written before the commit, and synced within a second. For sends: a crash of the process loses none, and a
   *   power cut loses the second that the commit itself would survive, which matters only if it also ruins the database.
   * - `lazily`: counters, written every few seconds, with the latest value.
   */
  readonly durable: 'before_commit' | 'soon' | 'lazily'
  /** Whether rows missing from the backup are added. `columns` then contains all required columns. */
  readonly isAdded?: boolean
}

const ORDER = [
  ...['seq', 'account_id', 'mode', 'status', 'plan', 'product', 'tier', 'instance_id', 'price_id', 'recurring'],
  ...['amount_cents', 'currency', 'refunded_cents', 'checkout_id', 'session_id', 'expires_at', 'replaces', 'change_of'],
  ...['proration_at', 'method_id', 'subscription_id', 'payment_id', 'invoice_id', 'failure_code', 'idem_key'],
  ...['created_at', 'provisioned_at'],
]

/**
 * Data written beside the database, so that a backup can be restored without undoing it when the database cannot be
 * read. It contains no secrets and no texts. The only phone numbers are those of opt-outs, of people who may have
 * asked for one, and of chats that a person took over: these are shown and can be removed by hand, which a hash would
 * not allow.
 */
export const FACT_TABLES: Readonly<Record<string, FactTable>> = {
  accounts: {
    key: ['id'],
    columns: ['name', 'parent_account_id', 'timezone', 'external_ref', 'status', 'deleted_at', 'created_at'],
    isRemovalKept: true,
    durable: 'before_commit',
  },
  instances: {
    key: ['id'],
    // A restore must not connect a number that a person disconnected or moved to another server.
    columns: ['account_id', 'deleted_at', 'status', 'last_disconnect_reason'],
    addedColumns: 2,
    // A pairing after a restore cancels an earlier deletion.
    changes: ['account_id', 'deleted_at', 'logged_in', 'status', 'last_disconnect_reason'],
    durable: 'before_commit',
  },
  api_keys: {
    key: ['id'],
    columns: ['revoked_at', 'expires_at', 'allowed_instance_ids', 'approval'],
    durable: 'before_commit',
  },
  access_links: {
    key: ['id'],
    columns: ['revoked_at', 'spent_at', 'expires_at', 'opened_at'],
    changes: ['revoked_at', 'spent_at', 'expires_at'],
    durable: 'before_commit',
  },
  members: {
    key: ['id'],
    columns: ['account_id', 'invitation', 'invitation_expires_at', 'password_mark'],
    changes: ['invitation', 'invitation_expires_at', 'password_hash'],
    blobs: ['invitation'],
    isRemovalKept: true,
    durable: 'before_commit',
  },
  console_passwords: {
    key: ['account_id'],
    columns: ['password_mark'],
    changes: ['hash'],
    isRemovalKept: true,
    durable: 'before_commit',
  },
  opt_outs: {
    key: ['seq'],
    columns: ['account_id', 'number', 'scope', 'phone', 'source', 'created_at', 'message_id', 'message_instance'],
    addedColumns: 2,
    isRemovalKept: true,
    durable: 'before_commit',
  },
  // Without the text.
  opt_out_questions: {
    key: ['instance_id', 'number'],
    columns: ['seq', 'account_id', 'chat', 'message_id', 'created_at', 'dismissed_at'],
    isRemovalKept: true,
    durable: 'before_commit',
  },
  // The removal of a budget is not recorded: spending is unknown without the database, so the backup's limit applies.
  message_budgets: {
    key: ['account_id'],
    columns: ['amount_micros', 'currency', 'warn_percent', 'updated_at'],
    changes: ['amount_micros', 'currency', 'warn_percent'],
    durable: 'before_commit',
  },
  approvals: { key: ['id'], columns: ['state', 'decided_at', 'executed_at'], durable: 'before_commit' },
  webhooks: {
    key: ['id'],
    columns: ['state', 'state_since', 'disabled_reason', 'deleted_at', 'secret_version', 'destination_mark'],
    addedColumns: 1,
    changes: ['state', 'state_since', 'disabled_reason', 'deleted_at', 'secret_version', 'url'],
    isRemovalKept: true,
    durable: 'before_commit',
  },
  instance_webhooks: {
    key: ['instance_id'],
    columns: ['ended', 'destination_mark'],
    addedColumns: 1,
    changes: ['ended', 'url'],
    isRemovalKept: true,
    durable: 'before_commit',
  },
  idempotency_keys: {
    key: ['scope_id', 'key'],
    columns: ['fp', 'state', 'boot', 'subject_id', 'status', 'body', 'created_at', 'expires_at'],
    blobs: ['fp', 'body'],
    // Deleting the answer after a day is not recorded, because the holder of the key stays.
    changes: ['state', 'subject_id'],
    moves: { expires_at: 'deadline' },
    isRemovalKept: true,
    durable: 'soon',
  },
  campaigns: {
    key: ['id'],
    columns: ['account_id', 'status', 'pause_reason', 'next_position', 'scheduled_at', 'started_at', 'finished_at'],
    changes: ['status', 'pause_reason', 'next_position', 'scheduled_at'],
    isRemovalKept: true,
    durable: 'before_commit',
  },
  campaign_recipients: {
    key: ['campaign_id', 'position'],
    columns: [
      ...['instance_id', 'variation', 'status', 'message_id', 'error_code', 'skip_reason', 'claimed_at', 'sent_at'],
    ],
    changes: ['status'],
    moves: { claimed_at: 'recent' },
    only: "NEW.status NOT IN ('delivered', 'read')",
    durable: 'soon',
  },
  safety_counts: {
    key: ['instance_id', 'quarter'],
    columns: ['sent', 'first_contacts', 'opened', 'spam_limited', 'withheld'],
    durable: 'lazily',
  },
  usage_daily: {
    key: ['account_id', 'day', 'instance_id'],
    columns: [...['sent', 'received', 'failed', 'campaign_sends', 'calls', 'call_seconds', 'ai_tokens', 'media_bytes']],
    durable: 'lazily',
  },
  ai_daily: {
    key: ['instance_id', 'day', 'agent_id'],
    columns: [
      ...['account_id', 'answered', 'handed_over', 'follow_ups', 'input_tokens', 'output_tokens', 'cost_micros'],
    ],
    durable: 'lazily',
  },
  ai_instances: { key: ['instance_id'], columns: ['enabled'], changes: ['enabled'], durable: 'before_commit' },
  ai_conversations: {
    key: ['seq'],
    columns: [
      ...['id', 'instance_id', 'chat', 'account_id', 'paused', 'paused_until', 'pause_reason', 'waiting'],
      ...['handoff_reason', 'handoff_at', 'changed_at'],
    ],
    changes: ['paused', 'paused_until', 'waiting'],
    durable: 'before_commit',
  },
  entitlement_grants: {
    key: ['source', 'source_key'],
    columns: ['account_id', 'slots', 'features', 'voice_packages', 'frozen', 'granted_at'],
    isRemovalKept: true,
    durable: 'before_commit',
    isAdded: true,
  },
  billing_customers: {
    key: ['account_id', 'mode'],
    columns: ['customer_id', 'method_id', 'card', 'updated_at'],
    durable: 'before_commit',
    isAdded: true,
  },
  // The URL of its payment page contains a token.
  billing_orders: { key: ['id'], columns: ORDER, durable: 'before_commit', isAdded: true },
  billing_subscriptions: {
    key: ['id'],
    columns: [
      ...['account_id', 'mode', 'order_id', 'plan', 'product', 'tier', 'status', 'period_end'],
      ...['cancel_at_period_end', 'past_due_since', 'frozen_at', 'warned_days', 'as_of', 'created_at'],
    ],
    durable: 'before_commit',
    isAdded: true,
  },
  billing_callbacks: {
    key: ['owner', 'event_id'],
    columns: ['received_at', 'processed_at'],
    only: 'NEW.processed_at IS NOT NULL',
    durable: 'before_commit',
  },
  billing_history: {
    key: ['seq'],
    columns: [
      ...['id', 'account_id', 'mode', 'kind', 'at', 'plan', 'product', 'tier', 'amount_cents', 'currency', 'order_id'],
      ...['detail', 'once'],
    ],
    durable: 'before_commit',
    isAdded: true,
  },
  billing_clients: {
    key: ['client_id'],
    columns: ['agency_id', 'revision', 'state', 'customer_id', 'subscription_id', 'period_end', 'reported_until'],
    durable: 'before_commit',
  },
  crm_links: {
    key: ['seq'],
    columns: ['paused', 'secret_mark', 'prev_secret_mark', 'destination_mark'],
    addedColumns: 3,
    changes: ['paused', 'secret_enc', 'prev_secret_enc', 'url'],
    isRemovalKept: true,
    durable: 'before_commit',
  },
  crm_contacts: {
    key: ['queue', 'number'],
    columns: ['dnd', 'dnd_pushed'],
    changes: ['dnd'],
    only: 'NEW.dnd = 1 OR NEW.dnd_pushed = 1',
    durable: 'before_commit',
  },
  crm_inbox: {
    key: ['scope', 'external_id'],
    columns: ['seq', 'link_seq', 'state', 'received_at', 'ended_at'],
    changes: ['state'],
    moves: { received_at: 'recent' },
    durable: 'soon',
  },
  voice_instances: {
    key: ['instance_id'],
    columns: ['plan', 'trial_used', 'destination_mark'],
    addedColumns: 1,
    changes: ['plan', 'trial_used', 'settings'],
    durable: 'before_commit',
  },
  voice_calls: {
    key: ['id'],
    columns: ['status', 'end_reason', 'attempt', 'ended_at'],
    changes: ['status'],
    durable: 'before_commit',
  },
  ai_provider_keys: {
    key: ['instance_id', 'provider'],
    columns: ['destination_mark'],
    addedColumns: 1,
    changes: ['base_url', 'key'],
    isRemovalKept: true,
    durable: 'before_commit',
  },
  ai_http_tools: {
    key: ['id'],
    columns: ['enabled', 'destination_mark'],
    addedColumns: 1,
    changes: ['enabled', 'url', 'secret_header', 'secret'],
    isRemovalKept: true,
    durable: 'before_commit',
  },
  voice_trunks: {
    key: ['instance_id'],
    columns: ['destination_mark'],
    addedColumns: 1,
    changes: ['host', 'port', 'transport', 'username', 'password'],
    isRemovalKept: true,
    durable: 'before_commit',
  },
  voice_speech: {
    key: ['account_id'],
    columns: ['destination_mark'],
    changes: ['services', 'api_key'],
    durable: 'before_commit',
  },
  instance_line_settings: {
    key: ['instance_id'],
    columns: [
      ...['per_minute', 'burst', 'chat_per_minute', 'chat_burst', 'spacing_ms', 'online'],
      ...['proxy_type', 'proxy_host', 'proxy_port', 'proxy_mark'],
    ],
    changes: [
      ...['per_minute', 'burst', 'chat_per_minute', 'chat_burst', 'spacing_ms', 'online'],
      ...['proxy_type', 'proxy_host', 'proxy_port', 'proxy_sealed'],
    ],
    isRemovalKept: true,
    durable: 'before_commit',
  },
  brands: {
    key: ['account_id'],
    columns: ['allowed_origins'],
    changes: ['allowed_origins'],
    durable: 'before_commit',
  },
  voice_widgets: {
    key: ['id'],
    columns: ['allowed_origins', 'daily_cap'],
    addedColumns: 2,
    isRemovalKept: true,
    durable: 'before_commit',
  },
  voice_recordings: { key: ['id'], columns: [], isRemovalKept: true, durable: 'before_commit' },
}

/** A part of a password hash: it shows whether the password has changed, without helping to guess it. */
const PASSWORD_MARK: Readonly<Record<string, string>> = {
  members: 'hex(substr(ROW.password_hash, 1, 4))',
  console_passwords: 'hex(substr(ROW.hash, 1, 4))',
}

/** A part of the nonce that a secret was sealed with (kernel/seal.ts). Empty: no secret. */
export const secretMark = (column: string): string => `COALESCE(hex(substr(${column}, 2, 6)), '')`
const SECRET_MARK = /^(.*secret)_mark$/

/** Columns with destinations of data and their secrets. */
const DESTINATIONS: Readonly<Record<string, readonly string[]>> = {
  webhooks: ['ROW.url'],
  instance_webhooks: ['ROW.url'],
  crm_links: ['ROW.url'],
  ai_provider_keys: ['ROW.base_url', secretMark('ROW.key')],
  ai_http_tools: ['ROW.url', 'ROW.secret_header', secretMark('ROW.secret')],
  voice_trunks: ['ROW.host', 'ROW.port', 'ROW.transport', 'ROW.username', secretMark('ROW.password')],
  voice_speech: ['ROW.services', secretMark('ROW.api_key')],
  voice_instances: [emailsIn('ROW.settings')],
}

/** Recipients of call summaries, as JSON. */
export function emailsIn(settings: string): string {
  return `COALESCE(CASE WHEN json_valid(${settings}) THEN json_extract(${settings}, '$.summary_emails') END, '[]')`
}

/** Defines `destination_mark`: it shows whether a URL has changed, without helping to guess it. */
export function defineMarks(database: Database): void {
  database.function('short_hash', { deterministic: true }, (text: unknown) =>
    createHash('sha256').update(String(text)).digest('hex').slice(0, 8),
  )
}

/** SQL for the value of a column in a fact. */
export function valueInSql(table: string, column: string, row: string): string {
  if (column === 'password_mark') return (PASSWORD_MARK[table] ?? 'NULL').replace('ROW', row)
  if (column === 'proxy_mark') return secretMark(`${row}.proxy_sealed`)
  if (column === 'destination_mark')
    return `short_hash(json_array(${(DESTINATIONS[table] ?? []).join(', ').replaceAll('ROW', row)}))`
  const [, secret] = SECRET_MARK.exec(column) ?? []
  if (secret !== undefined) return secretMark(`${row}.${secret}_enc`)
  const isBlob = FACT_TABLES[table]?.blobs?.includes(column) === true
  return isBlob ? `CASE WHEN ${row}.${column} IS NULL THEN NULL ELSE hex(${row}.${column}) END` : `${row}.${column}`
}
