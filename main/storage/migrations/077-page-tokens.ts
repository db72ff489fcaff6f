import type { Migration } from '../migrate.ts'

/**
 * Tokens of the pages that connect a number. token_hash recognizes one, token_sealed allows showing it again. Values
 * that earlier versions wrote into token are hashed, sealed and removed when the numbers are next read, because that
 * needs the vault's key.
 */
export const pageTokens: Migration = {
  version: 77,
  name: 'page-tokens',
  sql: `
ALTER TABLE official_numbers ADD COLUMN token_hash BLOB;
ALTER TABLE official_numbers ADD COLUMN token_sealed BLOB;
CREATE UNIQUE INDEX official_numbers_by_token ON official_numbers (token_hash) WHERE token_hash IS NOT NULL;
-- The hash of a state is kept from now on. One is good for an hour, and a visit is begun again with a click.
UPDATE official_numbers SET signup_state = NULL, signup_expires_at = NULL WHERE signup_state IS NOT NULL;

ALTER TABLE sandbox_lines ADD COLUMN token_hash BLOB;
ALTER TABLE sandbox_lines ADD COLUMN token_sealed BLOB;
CREATE UNIQUE INDEX sandbox_lines_by_token ON sandbox_lines (token_hash) WHERE token_hash IS NOT NULL;
`,
}
