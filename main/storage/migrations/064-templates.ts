import type { Migration } from '../migrate.ts'

/** Templates of the simulated Meta, and the ends of their pauses. */
export const templates: Migration = {
  version: 64,
  name: 'templates',
  sql: `
-- status: what it is once its review has ended, two seconds after submitted_at.
-- deleted_at: its name cannot be used again for 30 days.
CREATE TABLE sandbox_templates (
  account_id TEXT NOT NULL,
  business_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  category TEXT NOT NULL,
  components TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('APPROVED', 'REJECTED')),
  rejected_reason TEXT,
  quality TEXT,
  paused_until INTEGER,
  submitted_at INTEGER NOT NULL,
  approved_edit_at INTEGER,
  deleted_at INTEGER,
  PRIMARY KEY (account_id, business_id, id)
) STRICT;
CREATE INDEX sandbox_templates_by_name ON sandbox_templates (account_id, business_id, name, language);

CREATE TABLE official_template_pauses (
  account_id TEXT NOT NULL,
  waba_id TEXT NOT NULL,
  template_id TEXT NOT NULL,
  paused_until INTEGER NOT NULL,
  PRIMARY KEY (account_id, waba_id, template_id)
) STRICT;
`,
}
