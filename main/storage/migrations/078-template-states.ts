import type { Migration } from '../migrate.ts'

/** Templates that Meta has rejected, paused or disabled, according to callbacks and later lists. */
export const templateStates: Migration = {
  version: 78,
  name: 'template-states',
  sql: `
CREATE TABLE official_template_states (
  account_id TEXT NOT NULL,
  waba_id TEXT NOT NULL,
  template_id TEXT NOT NULL,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('rejected', 'paused', 'disabled')),
  since INTEGER NOT NULL,
  PRIMARY KEY (account_id, waba_id, template_id)
) STRICT;
CREATE INDEX official_template_states_by_age ON official_template_states (account_id, since, template_id);
`,
}
