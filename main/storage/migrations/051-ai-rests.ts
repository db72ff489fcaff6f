import type { Migration } from '../migrate.ts'

/** The rest of a long answer, while the person is asked whether to continue. */
export const aiRests: Migration = {
  version: 51,
  name: 'ai-rests',
  sql: `
-- rest: the text; rest_turn: the turn that asked.
ALTER TABLE ai_conversations ADD COLUMN rest TEXT;
ALTER TABLE ai_conversations ADD COLUMN rest_turn INTEGER;
`,
}
