import type { Migration } from '../migrate.ts'

/**
 * Pairs of an official and an smv2 instance of one number. An instance is in one pair at most, whichever side it is;
 * `number` is canonical (kernel/phone-number.ts), and a pair ends when one of the two is connected as another.
 */
export const fusion: Migration = {
  version: 7,
  name: 'fusion',
  sql: `
CREATE TABLE fusions (
  official_id TEXT NOT NULL PRIMARY KEY REFERENCES instances (id),
  smv2_id TEXT NOT NULL UNIQUE REFERENCES instances (id),
  number TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
`,
}
