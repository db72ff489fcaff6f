import type { Migration } from '../migrate.ts'

/** Profiles and chat lists of sandbox phones, and checks of which numbers are on WhatsApp. */
export const sandboxProfilesAndNumberChecks: Migration = {
  version: 69,
  name: 'sandbox-profiles-and-number-checks',
  sql: `
-- privacy: JSON of the settings that were changed.
CREATE TABLE sandbox_profiles (
  account_id TEXT NOT NULL,
  number TEXT NOT NULL,
  about TEXT,
  privacy TEXT NOT NULL,
  PRIMARY KEY (account_id, number)
) STRICT;

-- subject: a number, or the id of a group.
CREATE TABLE sandbox_pictures (
  account_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  hash TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (account_id, subject)
) STRICT;
CREATE INDEX sandbox_pictures_by_hash ON sandbox_pictures (account_id, hash);

-- How the phone with the number lists a chat. muted_until: -1 until somebody changes it. labels: JSON of ids.
CREATE TABLE sandbox_chats (
  account_id TEXT NOT NULL,
  number TEXT NOT NULL,
  chat TEXT NOT NULL,
  archived INTEGER NOT NULL CHECK (archived IN (0, 1)),
  pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
  unread INTEGER NOT NULL CHECK (unread IN (0, 1)),
  muted_until INTEGER,
  labels TEXT NOT NULL,
  PRIMARY KEY (account_id, number, chat)
) STRICT;

CREATE TABLE sandbox_labels (
  account_id TEXT NOT NULL,
  number TEXT NOT NULL,
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  color INTEGER NOT NULL,
  PRIMARY KEY (account_id, number, id)
) STRICT;

-- label: the id of a label, or 0 for a star.
CREATE TABLE sandbox_marks (
  account_id TEXT NOT NULL,
  number TEXT NOT NULL,
  message_id TEXT NOT NULL REFERENCES sandbox_messages (id) ON DELETE CASCADE,
  label INTEGER NOT NULL,
  PRIMARY KEY (account_id, number, message_id, label)
) STRICT;
CREATE INDEX sandbox_marks_by_message ON sandbox_marks (message_id);

-- chat: the two numbers in order, or the id of a group. Without a row, messages stay.
CREATE TABLE sandbox_timers (
  account_id TEXT NOT NULL,
  chat TEXT NOT NULL,
  seconds INTEGER NOT NULL CHECK (seconds > 0),
  PRIMARY KEY (account_id, chat)
) STRICT;

CREATE TABLE sandbox_join_requests (
  group_seq INTEGER NOT NULL REFERENCES sandbox_groups (seq) ON DELETE CASCADE,
  number TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  PRIMARY KEY (group_seq, number)
) STRICT;
CREATE INDEX sandbox_join_requests_in_order ON sandbox_join_requests (group_seq, requested_at, number);

ALTER TABLE sandbox_messages ADD COLUMN disappears_at INTEGER;
ALTER TABLE sandbox_groups ADD COLUMN approval INTEGER NOT NULL DEFAULT 0 CHECK (approval IN (0, 1));
ALTER TABLE sandbox_groups ADD COLUMN admin_add INTEGER NOT NULL DEFAULT 1 CHECK (admin_add IN (0, 1));

CREATE TABLE number_checks (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'paused', 'completed', 'canceled', 'failed')),
  total INTEGER NOT NULL,
  asked INTEGER NOT NULL,
  found INTEGER NOT NULL,
  -- Why nothing is asked now, and until when.
  wait_reason TEXT,
  waits_until INTEGER,
  ended_reason TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX number_checks_of_instance ON number_checks (instance_id, seq);
CREATE UNIQUE INDEX number_checks_open ON number_checks (instance_id) WHERE ended_at IS NULL;
CREATE INDEX number_checks_by_end ON number_checks (ended_at) WHERE ended_at IS NOT NULL;

-- canonical: as the network writes it; null with asked_at: it is not on WhatsApp.
CREATE TABLE number_check_numbers (
  check_seq INTEGER NOT NULL REFERENCES number_checks (seq) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  number TEXT NOT NULL,
  canonical TEXT,
  asked_at INTEGER,
  PRIMARY KEY (check_seq, position)
) STRICT;
CREATE INDEX number_check_numbers_to_ask ON number_check_numbers (check_seq, position) WHERE asked_at IS NULL;

-- What an instance asked in the last day, for the limit of a day.
CREATE TABLE number_check_portions (
  seq INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  asked INTEGER NOT NULL,
  asked_at INTEGER NOT NULL
) STRICT;
CREATE INDEX number_check_portions_of_instance ON number_check_portions (instance_id, asked_at);
CREATE INDEX number_check_portions_by_time ON number_check_portions (asked_at);
`,
}
