import type { Migration } from '../migrate.ts'

/**
 * Webhooks, their pending deliveries, and attempts. Deliveries refer to everything by number, because public ids
 * would triple the size of every index. The partial indexes contain only open work, so they stay small however long
 * the history grows.
 */
export const webhooks: Migration = {
  version: 5,
  name: 'webhooks',
  sql: `
CREATE TABLE webhooks (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  description TEXT,
  max_in_flight INTEGER NOT NULL CHECK (max_in_flight BETWEEN 1 AND 64),
  state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'deactivated')),
  state_since INTEGER NOT NULL,
  disabled_reason TEXT CHECK (disabled_reason IN ('gone', 'too_many_failures')),
  consecutive_exhausted INTEGER NOT NULL DEFAULT 0,
  activation INTEGER NOT NULL DEFAULT 1,
  secret_version INTEGER NOT NULL DEFAULT 1,
  secret_enc BLOB NOT NULL,
  secret_last4 TEXT NOT NULL,
  prev_secret_enc BLOB,
  prev_expires_at INTEGER,
  deleted_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((state = 'deactivated') = (disabled_reason IS NOT NULL))
) STRICT;
CREATE INDEX webhooks_of_account ON webhooks (account_id, seq) WHERE deleted_at IS NULL;
CREATE INDEX webhooks_by_state ON webhooks (state, seq) WHERE deleted_at IS NULL;
CREATE INDEX webhooks_deleted ON webhooks (seq) WHERE deleted_at IS NOT NULL;
CREATE INDEX webhooks_with_previous_secret ON webhooks (prev_expires_at) WHERE prev_expires_at IS NOT NULL;

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_seq INTEGER NOT NULL,
  webhook_seq INTEGER NOT NULL REFERENCES webhooks (seq),
  event_seq INTEGER NOT NULL,
  instance_seq INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed', 'exhausted')),
  attempts INTEGER NOT NULL DEFAULT 0,
  counted INTEGER NOT NULL DEFAULT 0 CHECK (counted BETWEEN 0 AND 8),
  interrupted INTEGER NOT NULL DEFAULT 0,
  manual INTEGER NOT NULL DEFAULT 0 CHECK (manual BETWEEN 0 AND 5),
  next_attempt_at INTEGER,
  gap_ms INTEGER NOT NULL DEFAULT 0,
  lane INTEGER NOT NULL DEFAULT 0 CHECK (lane IN (0, 1)),
  lease TEXT,
  final_reason TEXT CHECK (final_reason IN ('gone', 'expired', 'overflow')),
  delivered_at INTEGER,
  last_status_code INTEGER,
  last_error TEXT,
  -- When it was last brought forward after an outage, and whether its due time is still of that.
  swept_at INTEGER,
  is_swept INTEGER NOT NULL DEFAULT 0 CHECK (is_swept IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (event_seq, webhook_seq)
) STRICT;
CREATE INDEX deliveries_open ON deliveries (webhook_seq, lane, seq) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_to_retry ON deliveries (webhook_seq, next_attempt_at, seq)
  WHERE lane = 1 AND next_attempt_at IS NOT NULL AND lease IS NULL;
CREATE INDEX deliveries_open_of_instance ON deliveries (instance_seq, status) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (lease) WHERE lease IS NOT NULL;
CREATE INDEX deliveries_gone ON deliveries (webhook_seq, counted, seq) WHERE final_reason = 'gone';
-- Also for all deliveries of an account, which are those of the four states.
CREATE INDEX deliveries_by_status ON deliveries (account_seq, status, seq);
CREATE INDEX deliveries_by_type ON deliveries (account_seq, event_type, seq);
CREATE INDEX deliveries_of_webhook ON deliveries (webhook_seq, seq);
CREATE INDEX deliveries_of_instance ON deliveries (instance_seq, seq);

CREATE TABLE delivery_attempts (
  delivery_seq INTEGER NOT NULL REFERENCES deliveries (seq) ON DELETE CASCADE,
  attempt INTEGER NOT NULL CHECK (attempt >= 1),
  trigger TEXT NOT NULL CHECK (trigger IN ('schedule', 'manual', 'recovery')),
  outcome TEXT NOT NULL CHECK (outcome IN ('in_progress', 'success', 'http_error', 'timeout', 'dns', 'connect', 'tls',
    'protocol', 'blocked', 'interrupted', 'local_fault')),
  counted INTEGER NOT NULL CHECK (counted IN (0, 1)),
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  duration_ms INTEGER,
  http_status INTEGER,
  error_code TEXT,
  error_message TEXT,
  remote_ip TEXT,
  sent_timestamp INTEGER,
  response_prefix TEXT,
  PRIMARY KEY (delivery_seq, attempt)
) STRICT;
`,
}
