import type { Migration } from '../migrate.ts'

/** Who created each key and link, so that they can end when their creator loses access. */
export const creators: Migration = {
  version: 37,
  name: 'creators',
  sql: `
-- operator, member:ID or key:ID. NULL: created before this was recorded.
ALTER TABLE api_keys ADD COLUMN created_by TEXT;
CREATE INDEX api_keys_by_creator ON api_keys (created_by, id) WHERE created_by IS NOT NULL;
ALTER TABLE access_links ADD COLUMN created_by TEXT;
CREATE INDEX access_links_by_creator ON access_links (created_by) WHERE created_by IS NOT NULL;

-- Onboarding pages of an account get new addresses when one of its members is removed.
CREATE INDEX official_numbers_with_page ON official_numbers (account_id) WHERE token IS NOT NULL;
CREATE INDEX sandbox_lines_with_page ON sandbox_lines (account_id) WHERE token IS NOT NULL;
`,
}
