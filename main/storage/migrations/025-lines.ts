import type { Migration } from '../migrate.ts'

/** Settings of single numbers, labels of business accounts, and details of groups. */
export const lines: Migration = {
  version: 25,
  name: 'lines',
  sql: `
-- How a line connects and sends; null: as the service is set. proxy_sealed has its user name and password.
CREATE TABLE instance_line_settings (
  instance_id TEXT PRIMARY KEY,
  per_minute INTEGER,
  burst INTEGER,
  chat_per_minute INTEGER,
  chat_burst INTEGER,
  spacing_ms INTEGER,
  online INTEGER NOT NULL CHECK (online IN (0, 1)),
  proxy_type TEXT CHECK (proxy_type IN ('http', 'https', 'socks5')),
  proxy_host TEXT,
  proxy_port INTEGER,
  proxy_sealed BLOB,
  updated_at INTEGER NOT NULL,
  CHECK ((proxy_type IS NULL) = (proxy_host IS NULL) AND (proxy_host IS NULL) = (proxy_port IS NULL)),
  CHECK (proxy_sealed IS NULL OR proxy_type IS NOT NULL)
) STRICT;

-- Chats that a phone named when it was linked, with their newest message then. Nothing of it is shown before somebody
-- imports the history.
CREATE TABLE smv2_history_chats (
  instance_id TEXT NOT NULL,
  jid TEXT NOT NULL,
  name TEXT,
  at INTEGER,
  sealed BLOB,
  PRIMARY KEY (instance_id, jid)
) STRICT;

-- 1: fetched only when somebody asks for it.
ALTER TABLE smv2_media ADD COLUMN on_request INTEGER NOT NULL DEFAULT 0 CHECK (on_request IN (0, 1));

-- What a chat is called besides by its contact's own name, which messages carry.
CREATE TABLE chat_names (
  instance_id TEXT NOT NULL,
  chat TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (instance_id, chat)
) STRICT;

-- The latest import of the history of each instance. import_id: of its jobs.
CREATE TABLE history_imports (
  instance_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  days INTEGER NOT NULL,
  since INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'paused', 'completed', 'failed', 'canceled')),
  chats_total INTEGER NOT NULL,
  chats_done INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  -- 1: the phone named its chats when it was linked.
  has_phone_list INTEGER NOT NULL CHECK (has_phone_list IN (0, 1)),
  error TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;

-- The chats of a running import that are not done, each with the place from which on its past is asked for.
CREATE TABLE history_chats (
  instance_id TEXT NOT NULL,
  chat TEXT NOT NULL,
  address TEXT,
  engine_message_id TEXT NOT NULL,
  own INTEGER NOT NULL CHECK (own IN (0, 1)),
  at INTEGER NOT NULL,
  PRIMARY KEY (instance_id, chat)
) STRICT;

-- Labels of business accounts, as their phones have them.
CREATE TABLE smv2_labels (
  instance_id TEXT NOT NULL,
  label_id TEXT NOT NULL,
  name TEXT NOT NULL,
  color INTEGER NOT NULL,
  deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
  PRIMARY KEY (instance_id, label_id)
) STRICT;

-- What the groups of the sandbox have besides their names.
ALTER TABLE sandbox_groups ADD COLUMN description TEXT;
ALTER TABLE sandbox_groups ADD COLUMN announce INTEGER NOT NULL DEFAULT 0 CHECK (announce IN (0, 1));
ALTER TABLE sandbox_groups ADD COLUMN locked INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1));
`,
}
