import type { Migration } from '../migrate.ts'

/** What something was called when it was changed: it may be gone when somebody reads the log. */
export const auditNames: Migration = {
  version: 45,
  name: 'audit-names',
  sql: `
ALTER TABLE audit_log ADD COLUMN subject_name TEXT;
`,
}
