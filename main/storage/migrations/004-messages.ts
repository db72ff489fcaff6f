import type { Migration } from '../migrate.ts'

/**
 * One row for each message, whichever way it went: `out` was sent through this service, `phone` was typed on the
 * number's own phone, `in` came from another person. `status` and `source` are null for `in`. A status is dated by
 * its own column (`created_at` is `queued`), and the history shown to callers is read from those.
 *
 * messages_heard also prevents storing a received message twice. Sent messages are not in it, so an engine that
 * repeats an id cannot make the result of a send fail.
 */
export const messages: Migration = {
  version: 4,
  name: 'messages',
  sql: `
CREATE TABLE messages (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  engine TEXT CHECK (engine IN ('smv2', 'official')),
  direction TEXT NOT NULL CHECK (direction IN ('out', 'phone', 'in')),
  chat TEXT NOT NULL,
  sender TEXT,
  type TEXT NOT NULL,
  text TEXT NOT NULL,
  media TEXT,
  status TEXT CHECK (status IN ('queued', 'sent', 'delivered', 'read', 'failed')),
  source TEXT,
  idem_key TEXT,
  campaign_id TEXT,
  engine_message_id TEXT,
  push_name TEXT,
  participant TEXT,
  quoted_message_id TEXT,
  is_group INTEGER NOT NULL CHECK (is_group IN (0, 1)),
  created_at INTEGER NOT NULL,
  dispatch_started_at INTEGER,
  sent_at INTEGER,
  delivered_at INTEGER,
  read_at INTEGER,
  failed_at INTEGER,
  edited_at INTEGER,
  deleted_at INTEGER,
  error_code TEXT,
  error_message TEXT,
  error_provider_code INTEGER,
  CHECK ((direction = 'in') = (status IS NULL)),
  CHECK ((direction = 'in') = (source IS NULL)),
  CHECK (direction = 'out' OR engine_message_id IS NOT NULL),
  CHECK ((status = 'failed') = (error_code IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX messages_id ON messages (id);
CREATE INDEX messages_in_chat ON messages (instance_id, chat, seq);
CREATE INDEX messages_queued ON messages (instance_id, seq) WHERE status = 'queued';
CREATE INDEX messages_carried ON messages (instance_id, engine_message_id)
  WHERE direction = 'out' AND engine_message_id IS NOT NULL;
CREATE UNIQUE INDEX messages_heard ON messages (instance_id, engine_message_id, chat) WHERE direction <> 'out';

-- The latest reaction of each person to each message; an empty emoji is one taken back.
CREATE TABLE message_reactions (
  message_seq INTEGER NOT NULL REFERENCES messages (seq) ON DELETE CASCADE,
  sender TEXT NOT NULL,
  emoji TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (message_seq, sender)
) STRICT;
`,
}
