import { join } from 'node:path'
import Database from 'better-sqlite3'
import { backupsFolderOf, parseBackupName } from './backups.ts'
import { factsFolderOf } from './fact-log.ts'
import { readFacts } from './read-facts.ts'

/** The effects of a restore, shown before it happens. */
export interface RestorePreview {
  readonly madeAtMs: number
  /** Created since the backup, and lost. */
  readonly gone: Readonly<Record<(typeof GONE_NAMES)[number], number>>
  /** Created or changed since the backup, and kept. */
  readonly kept: Readonly<Record<(typeof KEPT_NAMES)[number], number>>
  /** Numbers that will be signed out (see `left-instances.ts`). */
  readonly signedOut: number
  /** They stay paused until a person resumes them. */
  readonly campaigns: readonly { readonly id: string; readonly name: string }[]
}

const GONE_NAMES = [
  ...(['messages', 'instances', 'clients', 'webhooks', 'api_keys', 'members', 'contacts', 'access_links'] as const),
  ...(['ai_agents', 'faq', 'documents', 'planned_calls', 'voice_widgets', 'crm_connections'] as const),
] as const
const KEPT_NAMES = ['opt_outs', 'revocations', 'payments', 'transfers'] as const
const MOST_CAMPAIGNS = 50

/** Rows of a table that the backup does not have. */
const since = (table: string, which = 'TRUE') =>
  `SELECT COUNT(*) FROM main.${table} WHERE ${which} AND id NOT IN (SELECT id FROM copy.${table})`

const GONE: Readonly<Record<(typeof GONE_NAMES)[number], string>> = {
  // Messages sent with a key are kept.
  messages: `SELECT COUNT(*) FROM main.messages m WHERE seq > (SELECT COALESCE(MAX(seq), 0) FROM copy.messages)
    AND id IS NOT (SELECT subject_id FROM main.idempotency_keys k
      WHERE k.scope_id = m.instance_id AND k.key = m.idem_key)`,
  instances: since('instances', 'deleted_at IS NULL'),
  clients: `SELECT COUNT(*) FROM main.accounts a WHERE parent_account_id IS NOT NULL AND deleted_at IS NULL
    AND id NOT IN (SELECT id FROM copy.accounts) AND NOT EXISTS (SELECT 1 FROM main.billing_orders o
      WHERE o.account_id = a.id AND o.status IN ('processing', 'open', 'paid'))`,
  webhooks: since('webhooks', 'deleted_at IS NULL'),
  api_keys: since('api_keys', 'revoked_at IS NULL'),
  members: since('members'),
  contacts: 'SELECT COUNT(*) FROM main.contacts WHERE seq NOT IN (SELECT seq FROM copy.contacts)',
  access_links: since('access_links', 'revoked_at IS NULL'),
  ai_agents: since('ai_agents'),
  faq: since('ai_faq'),
  documents: since('ai_documents'),
  planned_calls: since('voice_calls', "status = 'scheduled'"),
  voice_widgets: since('voice_widgets'),
  crm_connections: 'SELECT COUNT(*) FROM main.crm_links WHERE seq NOT IN (SELECT seq FROM copy.crm_links)',
}

const KEPT: Readonly<Record<(typeof KEPT_NAMES)[number], string>> = {
  opt_outs: 'SELECT COUNT(*) FROM main.opt_outs WHERE seq NOT IN (SELECT seq FROM copy.opt_outs)',
  revocations: `SELECT
    (SELECT COUNT(*) FROM main.api_keys k JOIN copy.api_keys c USING (id)
      WHERE k.revoked_at IS NOT NULL AND c.revoked_at IS NULL)
    + (SELECT COUNT(*) FROM main.access_links l JOIN copy.access_links c USING (id)
      WHERE l.revoked_at IS NOT NULL AND c.revoked_at IS NULL)
    + (SELECT COUNT(*) FROM main.accounts a JOIN copy.accounts c USING (id)
      WHERE a.status = 'suspended' AND c.status = 'active')`,
  payments: `SELECT COUNT(*) FROM main.billing_orders WHERE status = 'paid'
    AND id NOT IN (SELECT id FROM copy.billing_orders WHERE status = 'paid')`,
  transfers: `SELECT COUNT(*) FROM main.instances i JOIN copy.instances c USING (id)
    WHERE i.account_id <> c.account_id AND i.deleted_at IS NULL AND c.deleted_at IS NULL
      AND i.account_id IN (SELECT id FROM copy.accounts)`,
}

const MEMBERS_GONE = 'SELECT id FROM copy.members WHERE id NOT IN (SELECT id FROM main.members)'

const SIGNED_OUT = `SELECT COUNT(*) FROM main.instances i JOIN copy.instances c USING (id)
  WHERE c.deleted_at IS NULL AND c.status <> 'created' AND (i.deleted_at IS NOT NULL
    OR i.account_id <> c.account_id AND i.account_id NOT IN (SELECT id FROM copy.accounts))`

const CAMPAIGNS = `SELECT id, name FROM main.campaigns k
  WHERE status = 'running' OR (status = 'scheduled' AND scheduled_at <= :now)
     OR (status = 'paused' AND (pause_reason <> 'user' OR EXISTS (SELECT 1 FROM main.campaign_recipients r
       WHERE r.campaign_id = k.id AND r.claimed_at > :madeAtMs)))
  ORDER BY seq DESC LIMIT ${MOST_CAMPAIGNS}`

/** Compares the database with one of its backups. @throws Error if one of the two cannot be read. */
export function previewRestore(file: string, name: string, nowMs: number): RestorePreview {
  const { madeAtMs = 0 } = parseBackupName(name) ?? {}
  const connection = new Database(file, { readonly: true, fileMustExist: true })
  try {
    connection.prepare('ATTACH DATABASE ? AS copy').run(join(backupsFolderOf(file), name))
    const count = (sql: string) => Number(connection.prepare(sql).pluck().get())
    const kept = counted(KEPT_NAMES, (key) => count(KEPT[key]))
    // Members whom an earlier restore removed return.
    const members = readFacts(factsFolderOf(file))
      .tables.get('members')
      ?.rows.map(([id]) => id)
    const removed = connection.prepare(MEMBERS_GONE).pluck().all() as string[]
    kept.revocations += removed.filter((id) => members?.includes(id) !== true).length
    return {
      madeAtMs,
      gone: counted(GONE_NAMES, (key) => count(GONE[key])),
      kept,
      signedOut: count(SIGNED_OUT),
      campaigns: connection.prepare(CAMPAIGNS).all({ now: nowMs, madeAtMs }) as { id: string; name: string }[],
    }
  } finally {
    connection.close()
  }
}

const counted = <K extends string>(names: readonly K[], count: (name: K) => number): Record<K, number> =>
  Object.fromEntries(names.map((name) => [name, count(name)])) as Record<K, number>
