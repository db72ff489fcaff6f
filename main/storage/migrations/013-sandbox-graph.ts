import type { Migration } from '../migrate.ts'

/** The simulator of Meta's Graph API: Meta's data about numbers, sent messages and files. */
export const sandboxGraph: Migration = {
  version: 13,
  name: 'sandbox-graph',
  sql: `
-- instance_id names the number's line on the simulated network; no instance of the service has this id. The secrets are
-- the simulator's own and prove nothing to anybody else.
CREATE TABLE sandbox_graph_numbers (
  phone_number_id TEXT PRIMARY KEY,
  instance_id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  waba_id TEXT NOT NULL,
  number TEXT NOT NULL,
  name TEXT NOT NULL,
  access_token TEXT NOT NULL,
  app_secret TEXT NOT NULL,
  callback_url TEXT,
  subscribed INTEGER NOT NULL CHECK (subscribed IN (0, 1)),
  registered INTEGER NOT NULL CHECK (registered IN (0, 1)),
  token_dead INTEGER NOT NULL CHECK (token_dead IN (0, 1))
) STRICT;

CREATE TABLE sandbox_graph_sent (
  wamid TEXT PRIMARY KEY,
  recipient TEXT NOT NULL,
  opaque TEXT,
  sent_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sandbox_graph_sent_by_time ON sandbox_graph_sent (sent_at);

CREATE TABLE sandbox_graph_media (
  id TEXT PRIMARY KEY,
  phone_number_id TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  bytes BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sandbox_graph_media_by_time ON sandbox_graph_media (created_at);
`,
}
