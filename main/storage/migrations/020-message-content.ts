import type { Migration } from '../migrate.ts'

/**
 * What messages contain besides text and file, the votes in polls, what it takes to read those on smv2, and what happens
 * to calls.
 */
export const messageContent: Migration = {
  version: 20,
  name: 'message-content',
  sql: `
-- JSON, as in the event.
ALTER TABLE messages ADD COLUMN content TEXT;
ALTER TABLE messages ADD COLUMN view_once INTEGER NOT NULL DEFAULT 0 CHECK (view_once IN (0, 1));

-- The latest vote of each person; options is a JSON array, empty when the vote was taken back. By the network's id of the
-- poll, because a vote can be known before its poll.
CREATE TABLE poll_votes (
  instance_id TEXT NOT NULL,
  engine_message_id TEXT NOT NULL,
  voter TEXT NOT NULL,
  options TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (instance_id, engine_message_id, voter)
) STRICT;
CREATE INDEX poll_votes_of_voter ON poll_votes (instance_id, voter);

-- Secrets of polls: votes are encrypted with them, and may come long after the poll.
CREATE TABLE smv2_polls (
  seq INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  engine_id TEXT NOT NULL,
  sealed BLOB NOT NULL,
  kept_at INTEGER NOT NULL,
  UNIQUE (instance_id, engine_id)
) STRICT;

-- Votes whose poll has not arrived.
CREATE TABLE smv2_waiting_votes (
  seq INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  poll_engine_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  sealed BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  UNIQUE (instance_id, digest)
) STRICT;
CREATE INDEX smv2_waiting_votes_of_poll ON smv2_waiting_votes (instance_id, poll_engine_id, seq);

-- What happens to calls; an instance without a row lets them ring.
CREATE TABLE instance_call_settings (
  instance_id TEXT PRIMARY KEY,
  reject INTEGER NOT NULL CHECK (reject IN (0, 1)),
  message TEXT,
  updated_at INTEGER NOT NULL
) STRICT;
`,
}
