import type { Migration } from '../migrate.ts'

/**
 * What reading the ledger needs: events of one type without reading all others, and `only_for`, which is set where an
 * event was made for a single listener (a test) and did not happen to anybody else.
 */
export const eventList: Migration = {
  version: 11,
  name: 'event-list',
  sql: `
ALTER TABLE events ADD COLUMN only_for INTEGER;
-- Where several serve, which one SQLite takes depends on the order in which they were made: the narrowest search first,
-- and the account, which fits every list, never last.
DROP INDEX events_by_account;
DROP INDEX events_by_instance;
CREATE INDEX events_by_type ON events (account_id, type, seq);
CREATE INDEX events_by_account ON events (account_id, seq);
CREATE INDEX events_by_instance ON events (instance_id, seq);
`,
}
