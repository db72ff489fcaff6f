import type { Migration } from '../migrate.ts'

/** Names that belong to one person, and chats that still have to move to another name. */
export const personNames: Migration = {
  version: 49,
  name: 'person-names',
  sql: `
-- Written in the commit that learns it; the messages of the chat are moved in portions afterwards.
CREATE TABLE chat_moves (
  seq INTEGER PRIMARY KEY,
  instance_id TEXT NOT NULL,
  from_chat TEXT NOT NULL,
  to_chat TEXT NOT NULL,
  UNIQUE (instance_id, from_chat, to_chat)
) STRICT;

-- Names of a contact besides its number.
CREATE TABLE contact_identities (
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('lid', 'bsuid', 'username')),
  value TEXT NOT NULL,
  contact_seq INTEGER NOT NULL,
  PRIMARY KEY (account_id, kind, value)
) STRICT;
CREATE INDEX contact_identities_of_contact ON contact_identities (contact_seq, kind, value);

-- How Meta writes a number in callbacks, where that is not how it is dialled.
CREATE TABLE official_addresses (
  instance_id TEXT NOT NULL,
  address TEXT NOT NULL,
  number TEXT NOT NULL,
  PRIMARY KEY (instance_id, address)
) STRICT;

CREATE INDEX smv2_people_by_number ON smv2_people (instance_id, number) WHERE hidden = 1;
`,
}
