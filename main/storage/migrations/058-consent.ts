import type { Migration } from '../migrate.ts'

/**
 * The message behind an opt-out, the buttons that opt out, and messages that may ask for no more campaigns. The names
 * of sources now say who decided instead of how the request arrived.
 */
export const consent: Migration = {
  version: 58,
  name: 'consent',
  sql: `
ALTER TABLE opt_outs ADD COLUMN message_id TEXT;
ALTER TABLE opt_outs ADD COLUMN message_instance TEXT;
UPDATE opt_outs SET source = CASE source
    WHEN 'console' THEN 'person' WHEN 'mcp' THEN 'api' WHEN 'official' THEN 'meta' WHEN 'ghl' THEN 'crm' ELSE source END
  WHERE source IN ('console', 'mcp', 'official', 'ghl');

-- JSON: titles or ids.
ALTER TABLE opt_out_settings ADD COLUMN buttons TEXT NOT NULL DEFAULT '[]';

-- One for each chat. dismissed_at: a person said that it meant something else, so the same words do not ask again.
CREATE TABLE opt_out_questions (
  seq INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  number TEXT NOT NULL,
  chat TEXT NOT NULL,
  message_id TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  dismissed_at INTEGER,
  UNIQUE (instance_id, number)
) STRICT;
CREATE INDEX opt_out_questions_open ON opt_out_questions (account_id, seq) WHERE dismissed_at IS NULL;
CREATE INDEX opt_out_questions_by_number ON opt_out_questions (account_id, number);
CREATE INDEX opt_out_questions_by_age ON opt_out_questions (created_at);

-- Simulated people who turned marketing messages of an official number off.
CREATE TABLE sandbox_graph_marketing_stops (
  phone_number_id TEXT NOT NULL,
  user_number TEXT NOT NULL,
  PRIMARY KEY (phone_number_id, user_number)
) STRICT;
`,
}
