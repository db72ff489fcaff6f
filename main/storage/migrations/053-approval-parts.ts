import type { Migration } from '../migrate.ts'

/** What an approval is about, fact by fact. */
export const approvalParts: Migration = {
  version: 53,
  name: 'approval-parts',
  sql: 'ALTER TABLE approvals ADD COLUMN parts TEXT;',
}
