import type { Migration } from '../migrate.ts'

/**
 * Sessions of paired phones, their messages, and identities of people. Sealed values can be decrypted only in their
 * own row; without these rows a phone has to be paired again.
 */
export const smv2: Migration = {
  version: 14,
  name: 'smv2',
  sql: `
-- format is that of the library's credentials, which its next version will change. ended: the network has banned the
-- number, and the next start pairs anew. restricted: it takes no first messages from this number.
CREATE TABLE smv2_sessions (
  instance_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  format INTEGER NOT NULL,
  creds_sealed BLOB NOT NULL,
  up INTEGER NOT NULL CHECK (up IN (0, 1)),
  ended INTEGER NOT NULL CHECK (ended IN (0, 1)),
  restricted_at INTEGER,
  restricted_until INTEGER
) STRICT;

CREATE TABLE smv2_keys (
  instance_id TEXT NOT NULL,
  type TEXT NOT NULL,
  id TEXT NOT NULL,
  sealed BLOB NOT NULL,
  PRIMARY KEY (instance_id, type, id)
) STRICT;

-- What was decrypted, written with the key that was used up by it. digest is that of the encrypted bytes, so what the
-- network brings again is known. told: the rooms have it.
CREATE TABLE smv2_inbound (
  seq INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  sealed BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  told INTEGER NOT NULL CHECK (told IN (0, 1)),
  UNIQUE (instance_id, digest)
) STRICT;
CREATE INDEX smv2_inbound_untold ON smv2_inbound (instance_id, seq) WHERE told = 0;

-- A message before any byte of it leaves: which of ours it is, and what to repeat for a phone that could not read it.
CREATE TABLE smv2_sent (
  seq INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  engine_id TEXT NOT NULL,
  message_id TEXT UNIQUE,
  sealed BLOB NOT NULL,
  sent_at INTEGER NOT NULL,
  UNIQUE (instance_id, engine_id)
) STRICT;

-- id is a number as somebody wrote it, or the digits of a hidden id (hidden = 1). number is how the network writes it;
-- null: nobody there has it, or it is not known. heard_at: they last wrote to this instance.
CREATE TABLE smv2_people (
  instance_id TEXT NOT NULL,
  id TEXT NOT NULL,
  hidden INTEGER NOT NULL CHECK (hidden IN (0, 1)),
  number TEXT,
  checked_at INTEGER,
  heard_at INTEGER,
  PRIMARY KEY (instance_id, id)
) STRICT;

-- A file that came with a message; its bytes lie in the home folder under their hash.
CREATE TABLE smv2_media (
  seq INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  media_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  filename TEXT,
  size INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  UNIQUE (instance_id, media_id)
) STRICT;
CREATE INDEX smv2_media_by_hash ON smv2_media (hash);

-- The version of the protocol that the network last named, when it refused the one we know.
CREATE TABLE smv2_protocol (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version TEXT NOT NULL,
  learned_at INTEGER NOT NULL
) STRICT;
`,
}
