import type { Migration } from '../migrate.ts'

/** For the list of the recordings of all instances. */
export const voiceRecordingsOfAccount: Migration = {
  version: 34,
  name: 'voice-recordings-of-account',
  sql: `
CREATE INDEX voice_recordings_of_account ON voice_recordings (account_id, ended_at, id);
`,
}
