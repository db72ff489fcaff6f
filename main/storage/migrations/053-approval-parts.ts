import type { Migration } from '../migrate.ts'

/** The facts of an approval, for windows in other languages. */
export const approvalParts: Migration = {
  version: 53,
  name: 'approval-parts',
  sql: 'ALTER TABLE approvals ADD COLUMN parts TEXT;',
}
