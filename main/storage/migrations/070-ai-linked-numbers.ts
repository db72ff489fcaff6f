import type { Migration } from '../migrate.ts'

/** sends_from: the instance that a turn answers over, where that is not its own. */
export const aiLinkedNumbers: Migration = {
  version: 70,
  name: 'ai-linked-numbers',
  sql: 'ALTER TABLE ai_turns ADD COLUMN sends_from TEXT;',
}
