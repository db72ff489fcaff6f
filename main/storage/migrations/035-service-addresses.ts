import type { Migration } from '../migrate.ts'

/** Which addresses of services the operator chose: only those may be in private networks. */
export const serviceAddresses: Migration = {
  version: 35,
  name: 'service-addresses',
  sql: `
ALTER TABLE voice_trunks ADD COLUMN by_operator INTEGER NOT NULL DEFAULT 0 CHECK (by_operator IN (0, 1));

-- Members could choose an address of this computer. From now on, is_local means that the operator chose it.
UPDATE ai_provider_keys SET is_local = 0
WHERE account_id <> (SELECT value FROM meta WHERE name = 'operator_account');
`,
}
