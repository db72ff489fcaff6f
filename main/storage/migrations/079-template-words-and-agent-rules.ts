import type { Migration } from '../migrate.ts'

/**
 * The texts of Meta's templates, which are stored with messages, and the rules for agents of all numbers of an
 * account.
 */
export const templateWordsAndAgentRules: Migration = {
  version: 79,
  name: 'template-words-and-agent-rules',
  sql: `
CREATE TABLE official_template_words (
  account_id TEXT NOT NULL,
  waba_id TEXT NOT NULL,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  category TEXT NOT NULL,
  components TEXT NOT NULL,
  noted_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, waba_id, name, language)
) STRICT;
CREATE INDEX official_template_words_by_age ON official_template_words (account_id, noted_at);

-- For numbers that have not set it themselves.
CREATE TABLE ai_account_settings (
  account_id TEXT PRIMARY KEY,
  answer_over_linked_number INTEGER NOT NULL CHECK (answer_over_linked_number IN (0, 1)),
  updated_at INTEGER NOT NULL
) STRICT;
`,
}
