import type { Migration } from '../migrate.ts'

/** Opt-outs, and the contacts of an account's numbers. */
export const contacts: Migration = {
  version: 22,
  name: 'contacts',
  sql: `
-- number is the canonical form of phone, for comparing. scope is 'account' or the id of an instance.
CREATE TABLE opt_outs (
  seq INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  number TEXT NOT NULL,
  scope TEXT NOT NULL,
  phone TEXT NOT NULL,
  source TEXT NOT NULL,
  note TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, number, scope)
) STRICT;
CREATE INDEX opt_outs_by_account ON opt_outs (account_id, seq);
CREATE INDEX opt_outs_of_instance ON opt_outs (scope) WHERE scope <> 'account';

-- keywords is JSON, only of the languages that were changed. country is of numbers without a country code.
CREATE TABLE opt_out_settings (
  account_id TEXT PRIMARY KEY,
  country TEXT,
  keywords TEXT NOT NULL
) STRICT;

-- given_name was set by a person and wins over push_name, the name in the person's profile. reversed is number backwards,
-- to search for its last digits.
CREATE TABLE contacts (
  seq INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  number TEXT NOT NULL,
  reversed TEXT NOT NULL,
  phone TEXT NOT NULL,
  given_name TEXT,
  push_name TEXT,
  last_in_at INTEGER,
  last_out_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (account_id, number)
) STRICT;
CREATE INDEX contacts_by_account ON contacts (account_id, seq);
CREATE INDEX contacts_by_last_digits ON contacts (account_id, reversed);

-- The words of the name, folded.
CREATE TABLE contact_terms (
  contact_seq INTEGER NOT NULL,
  term TEXT NOT NULL,
  account_id TEXT NOT NULL,
  PRIMARY KEY (contact_seq, term)
) STRICT;
CREATE INDEX contact_terms_by_term ON contact_terms (account_id, term, contact_seq);

CREATE TABLE contact_tags (
  contact_seq INTEGER NOT NULL,
  tag TEXT NOT NULL,
  account_id TEXT NOT NULL,
  PRIMARY KEY (contact_seq, tag)
) STRICT;
CREATE INDEX contact_tags_by_tag ON contact_tags (account_id, tag, contact_seq);

-- When the person and an instance last wrote to each other.
CREATE TABLE contact_instances (
  contact_seq INTEGER NOT NULL,
  instance_id TEXT NOT NULL,
  last_in_at INTEGER,
  last_out_at INTEGER,
  PRIMARY KEY (contact_seq, instance_id)
) STRICT;
CREATE INDEX contact_instances_by_instance ON contact_instances (instance_id);
`,
}
