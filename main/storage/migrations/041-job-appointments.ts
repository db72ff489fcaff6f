import type { Migration } from '../migrate.ts'

/** Tells appointments from waits: only waits move when the clock is set. */
export const jobAppointments: Migration = {
  version: 41,
  name: 'job-appointments',
  sql: `
-- 1: run_at is a time of the calendar, such as of a scheduled call.
ALTER TABLE jobs ADD COLUMN is_appointment INTEGER NOT NULL DEFAULT 0 CHECK (is_appointment IN (0, 1));
UPDATE jobs SET is_appointment = 1 WHERE kind IN ('voice.dial', 'campaigns.control') AND state = 'waiting';
`,
}
