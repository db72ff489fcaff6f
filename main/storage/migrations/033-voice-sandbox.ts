import type { Migration } from '../migrate.ts'

/** Call permissions at the simulated Meta. */
export const voiceSandbox: Migration = {
  version: 33,
  name: 'voice-sandbox',
  sql: `
-- requests: JSON, when the person was asked. unanswered: calls in a row that they did not take.
CREATE TABLE sandbox_graph_permissions (
  phone_number_id TEXT NOT NULL,
  user_number TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('no_permission', 'temporary', 'permanent')),
  expires_at INTEGER,
  requests TEXT NOT NULL,
  unanswered INTEGER NOT NULL,
  PRIMARY KEY (phone_number_id, user_number)
) STRICT;
`,
}
