import type { Migration } from '../migrate.ts'

/** Recent messages of each number, its pairing time, and messages that campaigns and AI agents are about to send. */
export const safety: Migration = {
  version: 23,
  name: 'safety',
  sql: `
-- The numbers an instance was paired with. since_seq: messages from this one on were exchanged by the number.
CREATE TABLE safety_numbers (
  instance_id TEXT NOT NULL,
  number TEXT NOT NULL,
  paired_at INTEGER NOT NULL,
  since_seq INTEGER NOT NULL,
  is_current INTEGER NOT NULL CHECK (is_current IN (0, 1)),
  claimed_at INTEGER,
  PRIMARY KEY (instance_id, number)
) STRICT;
CREATE UNIQUE INDEX safety_numbers_current ON safety_numbers (instance_id) WHERE is_current = 1;

-- How old a number is that was paired before this version is not known. The instance is at least as old.
INSERT INTO safety_numbers (instance_id, number, paired_at, since_seq, is_current)
  SELECT id, phone_number, created_at, 0, 1 FROM instances WHERE phone_number IS NOT NULL AND deleted_at IS NULL;

-- Written by the commits that accept messages and record failures. quarter is quarters of an hour since 1970: days and
-- hours of every time zone begin with one. opened: people reached who had not written for 24 hours (official).
CREATE TABLE safety_counts (
  instance_id TEXT NOT NULL,
  quarter INTEGER NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  first_contacts INTEGER NOT NULL DEFAULT 0,
  opened INTEGER NOT NULL DEFAULT 0,
  spam_limited INTEGER NOT NULL DEFAULT 0,
  withheld INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (instance_id, quarter)
) STRICT;
CREATE INDEX safety_counts_by_quarter ON safety_counts (quarter);

-- Messages counted as more than sent, for the case that they never leave and are taken back.
CREATE TABLE safety_firsts (
  instance_id TEXT NOT NULL,
  message_seq INTEGER NOT NULL,
  quarter INTEGER NOT NULL,
  first_contact INTEGER NOT NULL,
  opened INTEGER NOT NULL,
  PRIMARY KEY (instance_id, message_seq)
) STRICT;
CREATE INDEX safety_firsts_by_quarter ON safety_firsts (quarter);

-- Granted sends whose message was not accepted yet.
CREATE TABLE safety_claims (
  seq INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  phone TEXT NOT NULL,
  cold INTEGER NOT NULL CHECK (cold IN (0, 1)),
  opens INTEGER NOT NULL CHECK (opens IN (0, 1)),
  claimed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX safety_claims_of_instance ON safety_claims (instance_id, phone, seq);
CREATE INDEX safety_claims_by_age ON safety_claims (claimed_at);
`,
}
