import type { Migration } from '../migrate.ts'

/** Statuses that the CRM accepts only later, and people who cannot be contacts in a CRM. */
export const crmRetries: Migration = {
  version: 52,
  name: 'crm-retries',
  sql: `
ALTER TABLE crm_statuses ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;

CREATE TABLE crm_hidden_people (
  link_seq INTEGER NOT NULL,
  chat TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (link_seq, chat)
) STRICT;
CREATE INDEX crm_hidden_people_by_age ON crm_hidden_people (seen_at);

ALTER TABLE sandbox_ghl_contacts ADD COLUMN email TEXT;
CREATE UNIQUE INDEX sandbox_ghl_contacts_by_email ON sandbox_ghl_contacts (location_id, email) WHERE email IS NOT NULL;
`,
}
