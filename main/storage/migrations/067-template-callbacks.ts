import type { Migration } from '../migrate.ts'

/** What Meta reports about templates, and messages that it holds back. */
export const templateCallbacks: Migration = {
  version: 67,
  name: 'template-callbacks',
  sql: `
-- Sends name a template by name and language, callbacks also by id.
ALTER TABLE official_template_pauses ADD COLUMN name TEXT;
ALTER TABLE official_template_pauses ADD COLUMN language TEXT;
CREATE INDEX official_template_pauses_by_name ON official_template_pauses (account_id, waba_id, name, language, paused_until);

ALTER TABLE sandbox_templates ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1));

-- Since when Meta holds the message while it assesses the quality of its template.
ALTER TABLE messages ADD COLUMN held_since INTEGER;

-- Meta's own agent answers the chat: when it was last seen to. It is paused for ours meanwhile.
ALTER TABLE ai_conversations ADD COLUMN meta_agent_at INTEGER;
`,
}
