import type { Migration } from '../migrate.ts'

/** How much room the files of an account take is added up for every upload. */
export const fileSizes: Migration = {
  version: 48,
  name: 'file-sizes',
  sql: `
CREATE INDEX files_of_account ON files (account_id, kind, size);
`,
}
