import type { Migration } from '../migrate.ts'

/**
 * Instances with the state of their connection, and times of reconnections. Deleted instances stay, for incremental
 * lists.
 */
export const instances: Migration = {
  version: 3,
  name: 'instances',
  sql: `
-- updated_at and deleted_at come from the account's change clock. event_sequence numbers the instance's events.
-- link_lost_at is set while an outage is not announced yet, down_at from the loss of a link until it is back.
-- discard says that the engine must still discard the session: 'logout' tells the network, 'wipe' does not.
CREATE TABLE instances (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  instance_name TEXT NOT NULL,
  engine TEXT NOT NULL CHECK (engine IN ('smv2', 'official')),
  network TEXT NOT NULL CHECK (network IN ('sandbox', 'live')),
  external_ref TEXT,
  metadata TEXT,
  event_sequence INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL,
  status_at INTEGER NOT NULL,
  logged_in INTEGER NOT NULL DEFAULT 0,
  phone_number TEXT,
  profile_name TEXT,
  will_retry INTEGER NOT NULL DEFAULT 0,
  next_retry_at INTEGER,
  link_lost_at INTEGER,
  down_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  qr_attempt INTEGER,
  qr_expires_at INTEGER,
  last_connected_at INTEGER,
  last_disconnect_reason TEXT,
  disconnect_code INTEGER,
  blocked_until INTEGER,
  discard TEXT CHECK (discard IN ('logout', 'wipe')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX instances_by_age ON instances (account_id, created_at, id) WHERE deleted_at IS NULL;
-- Unique: the change clock never repeats a value within an account, so a page can end at a value and lose nothing.
CREATE UNIQUE INDEX instances_by_change ON instances (account_id, updated_at) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX instances_by_deletion ON instances (account_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX instances_by_external_ref ON instances (account_id, external_ref)
  WHERE deleted_at IS NULL AND external_ref IS NOT NULL;
CREATE UNIQUE INDEX instances_by_instance_name ON instances (account_id, instance_name);
CREATE INDEX instances_to_discard ON instances (id) WHERE discard IS NOT NULL;

CREATE TABLE instance_reconnects (
  instance_id TEXT NOT NULL REFERENCES instances (id),
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX instance_reconnects_by_time ON instance_reconnects (instance_id, at);
`,
}
