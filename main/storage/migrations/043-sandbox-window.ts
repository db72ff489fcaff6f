import type { Migration } from '../migrate.ts'

/** When a person last wrote to a number of the sandbox decides whether free text may be sent to them. */
export const sandboxWindow: Migration = {
  version: 43,
  name: 'sandbox-window',
  sql: `
CREATE INDEX sandbox_messages_by_author ON sandbox_messages (phone, author, seq) WHERE chat_group IS NULL;
`,
}
