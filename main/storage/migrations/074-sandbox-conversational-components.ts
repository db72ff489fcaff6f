import type { Migration } from '../migrate.ts'

/** Ice breakers and commands of official numbers of the sandbox, as JSON. */
export const sandboxConversationalComponents: Migration = {
  version: 74,
  name: 'sandbox-conversational-components',
  sql: 'ALTER TABLE sandbox_profiles ADD COLUMN components TEXT;',
}
