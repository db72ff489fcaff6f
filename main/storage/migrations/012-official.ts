import type { Migration } from '../migrate.ts'

/** Numbers of Meta's Cloud API, unprocessed callbacks, and the numbers behind user ids. */
export const official: Migration = {
  version: 12,
  name: 'official',
  sql: `
-- token is that of the page which connects a number, signup_state that of one visit to Meta's own signup: each is used
-- once. What is sealed opens for its own row only. facts is what Meta last said of the number, as JSON.
CREATE TABLE official_numbers (
  instance_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  token TEXT UNIQUE,
  signup_state TEXT UNIQUE,
  signup_expires_at INTEGER,
  verify_sealed BLOB NOT NULL,
  credentials_sealed BLOB,
  phone_number_id TEXT,
  waba_id TEXT,
  number TEXT,
  name TEXT,
  up INTEGER NOT NULL CHECK (up IN (0, 1)),
  refused TEXT CHECK (refused IN ('token_revoked', 'banned')),
  facts TEXT,
  CHECK ((credentials_sealed IS NULL) = (phone_number_id IS NULL)),
  CHECK ((credentials_sealed IS NULL) = (waba_id IS NULL)),
  CHECK (up = 0 OR credentials_sealed IS NOT NULL)
) STRICT;

-- The exact bytes of a callback, from before it is answered until it is processed. With a problem it stays for a week.
CREATE TABLE official_callbacks (
  seq INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  body BLOB NOT NULL,
  problem TEXT
) STRICT;
CREATE INDEX official_callbacks_waiting ON official_callbacks (seq) WHERE problem IS NULL;
CREATE INDEX official_callbacks_unread ON official_callbacks (received_at) WHERE problem IS NOT NULL;
CREATE INDEX official_callbacks_by_instance ON official_callbacks (instance_id);

-- Somebody who wrote under an id of Meta's instead of a number, and the number once it was shown.
CREATE TABLE official_contacts (
  instance_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  number TEXT NOT NULL,
  PRIMARY KEY (instance_id, user_id)
) STRICT;
`,
}
