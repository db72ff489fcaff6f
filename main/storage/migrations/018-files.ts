import type { Migration } from '../migrate.ts'

/** Files in the `files` folder of the home folder. A row is written only when its file is complete and in place. */
export const files: Migration = {
  version: 18,
  name: 'files',
  sql: `
-- expires_at is null for files that are kept until they are removed, and 0 for removed ones whose bytes are still there.
CREATE TABLE files (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT,
  mime_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE INDEX files_expiring ON files (expires_at, id) WHERE expires_at IS NOT NULL;
`,
}
