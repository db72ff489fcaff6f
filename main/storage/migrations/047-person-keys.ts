import type { Migration } from '../migrate.ts'

/** Numbers of people are compared by a wider key (kernel/phone-number.ts): rows of these tables have the one before. */
export const personKeys: Migration = {
  version: 47,
  name: 'person-keys',
  sql: `
CREATE TABLE person_rekeyings (name TEXT PRIMARY KEY) STRICT;
INSERT INTO person_rekeyings (name) VALUES
  ('opt_outs'), ('contacts'), ('campaign_recipients'), ('crm_contacts'), ('crm_outbox'), ('crm_inbox'), ('fusions');

-- Whoever the network knows under another spelling was taken for somebody who is not there.
DELETE FROM smv2_people WHERE hidden = 0 AND number IS NULL AND heard_at IS NULL;
DELETE FROM campaign_number_checks WHERE canonical IS NULL;
`,
}
