import type { Migration } from '../migrate.ts'

/** Connections between instances and CRMs, and the items sent over them. */
export const crm: Migration = {
  version: 31,
  name: 'crm',
  sql: `
-- kind is 'ghl' or 'webhook'. queue is what calls to the CRM are limited and ordered by: a location of GoHighLevel, which
-- several instances may share, or the link itself. side is 'live' or 'sandbox': which GoHighLevel it is.
CREATE TABLE crm_links (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('ghl', 'webhook')),
  mode TEXT NOT NULL CHECK (mode IN ('oauth', 'token', 'webhook')),
  side TEXT NOT NULL CHECK (side IN ('live', 'sandbox')),
  state TEXT NOT NULL CHECK (state IN ('connected', 'reconnect_required')),
  queue TEXT NOT NULL,
  location_id TEXT,
  location_name TEXT,
  company_id TEXT,
  provider_id TEXT,
  url TEXT,
  secret_enc BLOB,
  prev_secret_enc BLOB,
  prev_expires_at INTEGER,
  secret_last4 TEXT,
  sync TEXT NOT NULL,
  field_map TEXT NOT NULL,
  paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
  error_code TEXT,
  error_message TEXT,
  error_at INTEGER,
  last_sync_at INTEGER,
  connected_at INTEGER NOT NULL,
  UNIQUE (instance_id, kind)
) STRICT;
CREATE INDEX crm_links_by_queue ON crm_links (queue, seq);
CREATE INDEX crm_links_overlapping ON crm_links (prev_expires_at) WHERE prev_expires_at IS NOT NULL;
CREATE INDEX crm_links_by_account ON crm_links (account_id, seq);
CREATE INDEX crm_links_by_company ON crm_links (company_id, seq) WHERE company_id IS NOT NULL;

-- Tokens of a location or a company. tokens_enc is sealed JSON; a renewed pair is stored before it is used.
CREATE TABLE crm_sessions (
  resource_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  side TEXT NOT NULL CHECK (side IN ('live', 'sandbox')),
  user_type TEXT NOT NULL CHECK (user_type IN ('Location', 'Company', 'Private')),
  company_id TEXT,
  tokens_enc BLOB NOT NULL,
  expires_at INTEGER,
  version INTEGER NOT NULL
) STRICT;
CREATE INDEX crm_sessions_by_company ON crm_sessions (company_id) WHERE company_id IS NOT NULL;

-- Consent pages that were not answered yet. Only the hash of a state is kept.
CREATE TABLE crm_states (
  hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  side TEXT NOT NULL,
  location_id TEXT,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX crm_states_by_time ON crm_states (expires_at);

-- has_job: a job works on the queue, or waits to. suspended: the CRM accepts no calls until somebody connects again.
CREATE TABLE crm_queues (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  has_job INTEGER NOT NULL CHECK (has_job IN (0, 1)),
  suspended INTEGER NOT NULL CHECK (suspended IN (0, 1)),
  failures INTEGER NOT NULL,
  failing_since INTEGER
) STRICT;

-- What a CRM knows of a person; number is canonical. chat is how the instance writes to them. dnd: 1 wants no messages.
CREATE TABLE crm_contacts (
  queue TEXT NOT NULL,
  number TEXT NOT NULL,
  contact_id TEXT,
  conversation_id TEXT,
  fields TEXT,
  chat TEXT,
  dnd INTEGER NOT NULL DEFAULT 0 CHECK (dnd IN (0, 1)),
  dnd_pushed INTEGER NOT NULL DEFAULT 0 CHECK (dnd_pushed IN (0, 1)),
  dnd_at INTEGER,
  PRIMARY KEY (queue, number)
) STRICT;
CREATE INDEX crm_contacts_by_id ON crm_contacts (queue, contact_id);
CREATE INDEX crm_contacts_dnd ON crm_contacts (queue, number) WHERE dnd <> dnd_pushed;

-- Messages that a CRM has or will have. part is the position in a message of the CRM that became several here.
CREATE TABLE crm_messages (
  link_seq INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  external_id TEXT,
  status TEXT,
  error TEXT,
  PRIMARY KEY (link_seq, message_id)
) STRICT;
CREATE INDEX crm_messages_by_external ON crm_messages (link_seq, external_id) WHERE external_id IS NOT NULL;

-- What waits to go to the CRM. position is that of the message, so that a contact's are in order. attempted: a call may
-- have had its effect although its outcome was not recorded. hold_until is far in the future while the link is paused.
CREATE TABLE crm_outbox (
  seq INTEGER PRIMARY KEY,
  link_seq INTEGER NOT NULL,
  queue TEXT NOT NULL,
  number TEXT NOT NULL,
  position INTEGER NOT NULL,
  priority INTEGER NOT NULL CHECK (priority IN (0, 1)),
  kind TEXT NOT NULL CHECK (kind IN ('message', 'call')),
  item_key TEXT NOT NULL,
  payload TEXT,
  attempted INTEGER NOT NULL CHECK (attempted IN (0, 1)),
  tries INTEGER NOT NULL,
  hold_until INTEGER NOT NULL,
  failed_at INTEGER,
  error TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (link_seq, item_key)
) STRICT;
CREATE INDEX crm_outbox_waiting ON crm_outbox (queue, priority, position) WHERE failed_at IS NULL;
CREATE INDEX crm_outbox_of_contact ON crm_outbox (queue, number, position) WHERE failed_at IS NULL;
CREATE INDEX crm_outbox_held ON crm_outbox (queue, hold_until) WHERE failed_at IS NULL;
CREATE INDEX crm_outbox_of_link ON crm_outbox (link_seq, priority, created_at) WHERE failed_at IS NULL;
CREATE INDEX crm_outbox_failed ON crm_outbox (failed_at) WHERE failed_at IS NOT NULL;

-- The status a message should have in the CRM, and the one it was told last.
CREATE TABLE crm_statuses (
  link_seq INTEGER NOT NULL,
  external_id TEXT NOT NULL,
  queue TEXT NOT NULL,
  status TEXT NOT NULL,
  error TEXT,
  pushed TEXT,
  dirty INTEGER NOT NULL CHECK (dirty IN (0, 1)),
  hold_until INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (link_seq, external_id)
) STRICT;
CREATE INDEX crm_statuses_dirty ON crm_statuses (queue, hold_until) WHERE dirty = 1;
CREATE INDEX crm_statuses_of_link ON crm_statuses (link_seq) WHERE dirty = 1;
CREATE INDEX crm_statuses_by_time ON crm_statuses (changed_at);

-- What users of a CRM wrote. scope is where external_id is unique: a location, or a link.
CREATE TABLE crm_inbox (
  seq INTEGER PRIMARY KEY,
  scope TEXT NOT NULL,
  external_id TEXT NOT NULL,
  link_seq INTEGER NOT NULL,
  number TEXT NOT NULL,
  payload TEXT NOT NULL,
  part INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  hold_until INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
  received_at INTEGER NOT NULL,
  ended_at INTEGER,
  UNIQUE (scope, external_id)
) STRICT;
CREATE INDEX crm_inbox_of_link ON crm_inbox (link_seq, state, seq);
CREATE INDEX crm_inbox_held ON crm_inbox (link_seq, hold_until) WHERE state = 'waiting';
CREATE INDEX crm_inbox_of_contact ON crm_inbox (link_seq, number, seq) WHERE state = 'waiting';
CREATE INDEX crm_inbox_ended ON crm_inbox (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE crm_backfills (
  link_seq INTEGER PRIMARY KEY,
  days INTEGER NOT NULL,
  since_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'paused', 'done', 'canceled')),
  is_read INTEGER NOT NULL CHECK (is_read IN (0, 1)),
  after_chat TEXT NOT NULL,
  chats_done INTEGER NOT NULL,
  chats_total INTEGER NOT NULL,
  found INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;

-- The simulated GoHighLevel.
CREATE TABLE sandbox_ghl_companies (
  account_id TEXT PRIMARY KEY,
  company_id TEXT NOT NULL,
  page_token TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE sandbox_ghl_locations (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  private_token TEXT NOT NULL UNIQUE
) STRICT;
CREATE INDEX sandbox_ghl_locations_of_account ON sandbox_ghl_locations (account_id, position);
-- The secrets are the simulator's own and prove nothing to anybody else.
CREATE TABLE sandbox_ghl_keys (id INTEGER PRIMARY KEY CHECK (id = 1), pkcs8 BLOB NOT NULL) STRICT;
CREATE TABLE sandbox_ghl_codes (
  code TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  location_id TEXT,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sandbox_ghl_codes_by_time ON sandbox_ghl_codes (expires_at);
-- location_id is null for the token of the whole company.
CREATE TABLE sandbox_ghl_tokens (
  refresh TEXT PRIMARY KEY,
  access TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  location_id TEXT,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sandbox_ghl_tokens_of_account ON sandbox_ghl_tokens (account_id);
CREATE TABLE sandbox_ghl_deliveries (
  seq INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  location_id TEXT NOT NULL,
  path TEXT NOT NULL CHECK (path IN ('outbound', 'app')),
  body TEXT NOT NULL,
  attempts INTEGER NOT NULL
) STRICT;
CREATE INDEX sandbox_ghl_deliveries_of_location ON sandbox_ghl_deliveries (location_id, seq);
CREATE TABLE sandbox_ghl_files (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  bytes BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sandbox_ghl_files_by_time ON sandbox_ghl_files (created_at);
CREATE TABLE sandbox_ghl_contacts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  location_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL UNIQUE,
  phone TEXT,
  name TEXT,
  dnd INTEGER NOT NULL CHECK (dnd IN (0, 1)),
  tags TEXT NOT NULL,
  fields TEXT NOT NULL,
  unread INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_message_seq INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX sandbox_ghl_contacts_by_phone ON sandbox_ghl_contacts (location_id, phone) WHERE phone IS NOT NULL;
CREATE INDEX sandbox_ghl_contacts_of_location ON sandbox_ghl_contacts (location_id, last_message_seq, seq);
CREATE INDEX sandbox_ghl_contacts_of_account ON sandbox_ghl_contacts (account_id, last_message_seq, seq);
CREATE TABLE sandbox_ghl_messages (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  conversation_id TEXT NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('inbound', 'outbound')),
  type TEXT NOT NULL,
  text TEXT NOT NULL,
  attachments TEXT NOT NULL,
  source TEXT NOT NULL,
  status TEXT NOT NULL,
  error TEXT,
  date INTEGER NOT NULL
) STRICT;
CREATE INDEX sandbox_ghl_messages_of_conversation ON sandbox_ghl_messages (conversation_id, date, seq);
`,
}
