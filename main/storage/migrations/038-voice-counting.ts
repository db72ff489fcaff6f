import type { Migration } from '../migrate.ts'

/** What limits the calls of a widget, and the pace of a batch. */
export const voiceCounting: Migration = {
  version: 38,
  name: 'voice-counting',
  sql: `
-- How many visitors may talk within a day.
ALTER TABLE voice_widgets ADD COLUMN daily_cap INTEGER NOT NULL DEFAULT 50;
-- What lies between the beginnings of two calls of its batch at least; null outside batches.
ALTER TABLE voice_calls ADD COLUMN batch_interval_ms INTEGER;
CREATE INDEX voice_calls_of_widget ON voice_calls (widget_id, answered_at)
  WHERE widget_id IS NOT NULL AND answered_at IS NOT NULL;
`,
}
