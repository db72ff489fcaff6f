import type { Migration } from '../migrate.ts'

/** Campaigns that wait because Meta suspends utility templates, and the templates that it turned into marketing ones. */
export const templateRestrictions: Migration = {
  version: 76,
  name: 'template-restrictions',
  sql: `
-- 1: a campaign with the pause reason 'restricted' waits because of its utility template. SQLite changes no CHECK.
ALTER TABLE campaigns ADD COLUMN utility_hold INTEGER NOT NULL DEFAULT 0 CHECK (utility_hold IN (0, 1));

CREATE TABLE official_recategorized_templates (
  account_id TEXT NOT NULL,
  waba_id TEXT NOT NULL,
  template_id TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, waba_id, template_id)
) STRICT;
CREATE INDEX official_recategorized_templates_by_age ON official_recategorized_templates (account_id, changed_at);

-- How long Meta tries to deliver messages with a template, where somebody has set it.
CREATE TABLE official_template_lifetimes (
  account_id TEXT NOT NULL,
  waba_id TEXT NOT NULL,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  ttl_seconds INTEGER NOT NULL,
  PRIMARY KEY (account_id, waba_id, name, language)
) STRICT;
ALTER TABLE messages ADD COLUMN valid_until INTEGER;

-- Templates that Meta archived, which it deletes 28 days later.
CREATE TABLE official_archived_templates (
  account_id TEXT NOT NULL,
  waba_id TEXT NOT NULL,
  template_id TEXT NOT NULL,
  archived_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, waba_id, template_id)
) STRICT;
CREATE INDEX official_archived_templates_by_age ON official_archived_templates (account_id, archived_at);

-- People whose entry in Meta's contact book is deleted are found by their number.
CREATE INDEX official_contacts_by_number ON official_contacts (instance_id, number);
-- What the simulated Meta has in the contact book of each number.
CREATE TABLE sandbox_graph_contact_book (
  phone_number_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (phone_number_id, user_id)
) STRICT;

ALTER TABLE sandbox_templates ADD COLUMN ttl_seconds INTEGER;
ALTER TABLE sandbox_templates ADD COLUMN archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1));
-- When the simulated Meta drops what waits for a phone.
ALTER TABLE sandbox_messages ADD COLUMN expires_at INTEGER;
ALTER TABLE sandbox_timeline ADD COLUMN expires_at INTEGER;
`,
}
