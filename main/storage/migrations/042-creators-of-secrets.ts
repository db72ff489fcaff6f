import type { Migration } from '../migrate.ts'

/** Who was shown an onboarding link, a consent page or a CRM secret, so that it can end with their access. */
export const creatorsOfSecrets: Migration = {
  version: 42,
  name: 'creators-of-secrets',
  sql: `
-- operator, member:ID or key:ID. NULL: created before this was recorded.
ALTER TABLE instances ADD COLUMN created_by TEXT;
CREATE INDEX instances_by_creator ON instances (created_by) WHERE created_by IS NOT NULL;
ALTER TABLE crm_states ADD COLUMN created_by TEXT;
CREATE INDEX crm_states_by_creator ON crm_states (created_by) WHERE created_by IS NOT NULL;
ALTER TABLE crm_links ADD COLUMN secret_created_by TEXT;
ALTER TABLE crm_links ADD COLUMN prev_secret_created_by TEXT;
CREATE INDEX crm_links_by_secret ON crm_links (secret_created_by) WHERE secret_created_by IS NOT NULL;
CREATE INDEX crm_links_by_previous_secret ON crm_links (prev_secret_created_by)
  WHERE prev_secret_created_by IS NOT NULL;

-- Onboarding pages are renewed one by one.
DROP INDEX official_numbers_with_page;
DROP INDEX sandbox_lines_with_page;
`,
}
