import type { Migration } from '../migrate.ts'

/** sends_from: the instance that sends the answers of a turn, if it is not the turn's own. */
export const aiLinkedNumbers: Migration = {
  version: 70,
  name: 'ai-linked-numbers',
  sql: 'ALTER TABLE ai_turns ADD COLUMN sends_from TEXT;',
}
