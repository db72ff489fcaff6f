import type { Migration } from '../migrate.ts'

/** Whether the person is on hold, and where they are transferred. */
export const callControls: Migration = {
  version: 66,
  name: 'call-controls',
  sql: `
-- transfer_failure: why a failed transfer did not take place. Both end with the call.
ALTER TABLE voice_calls ADD COLUMN held_at INTEGER;
ALTER TABLE voice_calls ADD COLUMN transfer_to TEXT;
ALTER TABLE voice_calls ADD COLUMN transfer_status TEXT
  CHECK (transfer_status IN ('pending', 'completed', 'failed', 'unknown'));
ALTER TABLE voice_calls ADD COLUMN transfer_failure TEXT;
ALTER TABLE voice_calls ADD COLUMN transfer_at INTEGER;
`,
}
