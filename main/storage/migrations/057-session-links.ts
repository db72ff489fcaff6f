import type { Migration } from '../migrate.ts'

/** Whether somebody signed in with a link that was made for them: they may set a password without the one they had. */
export const sessionLinks: Migration = {
  version: 57,
  name: 'session-links',
  sql: 'ALTER TABLE console_sessions ADD COLUMN by_link INTEGER NOT NULL DEFAULT 0 CHECK (by_link IN (0, 1));',
}
