import type { Migration } from '../migrate.ts'

/** What an approval was described from, to see whether that has changed when a person decides. */
export const approvalBasis: Migration = {
  version: 56,
  name: 'approval-basis',
  sql: 'ALTER TABLE approvals ADD COLUMN basis TEXT;',
}
