import type { Migration } from '../migrate.ts'

/** What each console session may do. Sessions from before this version are of the operator. */
export const consoleRoles: Migration = {
  version: 17,
  name: 'console-roles',
  sql: `
ALTER TABLE console_sessions ADD COLUMN role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('operator', 'member'));
UPDATE console_sessions SET role = 'operator';
CREATE INDEX console_sessions_by_account ON console_sessions (account_id, used_at);
`,
}
