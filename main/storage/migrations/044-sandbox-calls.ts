import type { Migration } from '../migrate.ts'

/** Who takes calls to a phone of the sandbox. */
export const sandboxCalls: Migration = {
  version: 44,
  name: 'sandbox-calls',
  sql: `
ALTER TABLE sandbox_phones ADD COLUMN calls TEXT NOT NULL DEFAULT 'automatic' CHECK (calls IN ('automatic', 'manual'));
`,
}
