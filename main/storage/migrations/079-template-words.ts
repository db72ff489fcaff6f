import type { Migration } from '../migrate.ts'

/** The words of Meta's templates, with which messages are stored. */
export const templateWords: Migration = {
  version: 79,
  name: 'template-words',
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
`,
}
