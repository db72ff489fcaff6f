import type { Migration } from '../migrate.ts'

/** How many messages each instance sent, received and failed to send, by the hour. */
export const activity: Migration = {
  version: 16,
  name: 'activity',
  sql: `
-- Written by the commits that record the events, so that a chart never counts them. hour is hours since 1970.
CREATE TABLE activity (
  account_seq INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  instance_seq INTEGER NOT NULL,
  sent INTEGER NOT NULL,
  received INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  PRIMARY KEY (account_seq, hour, instance_seq)
) STRICT;
CREATE INDEX activity_by_hour ON activity (hour);
`,
}
