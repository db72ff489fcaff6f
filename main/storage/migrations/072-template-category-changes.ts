import type { Migration } from '../migrate.ts'

/** Changes of a template's category that Meta has announced, until they have happened. */
export const templateCategoryChanges: Migration = {
  version: 72,
  name: 'template-category-changes',
  sql: `
CREATE TABLE official_template_category_changes (
  account_id TEXT NOT NULL,
  waba_id TEXT NOT NULL,
  template_id TEXT NOT NULL,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  category TEXT NOT NULL,
  changes_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, waba_id, template_id)
) STRICT;
CREATE INDEX official_template_category_changes_by_time ON official_template_category_changes (account_id, changes_at, waba_id, template_id);
`,
}
