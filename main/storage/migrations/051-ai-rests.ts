import type { Migration } from '../migrate.ts'

/** What an agent has not said yet of a long answer: the person is asked whether to go on. */
export const aiRests: Migration = {
  version: 51,
  name: 'ai-rests',
  sql: `
-- rest: the text; rest_turn: the turn that asked.
ALTER TABLE ai_conversations ADD COLUMN rest TEXT;
ALTER TABLE ai_conversations ADD COLUMN rest_turn INTEGER;
`,
}
