import type { Migration } from '../migrate.ts'

/** What messages cost, where the operator has corrected or completed the rates that come with the service. */
export const messageRates: Migration = {
  version: 63,
  name: 'message-rates',
  sql: `
-- micros: millionths of the currency. NULL: unknown, also where a rate comes with the service.
CREATE TABLE message_rates (
  country TEXT NOT NULL,
  category TEXT NOT NULL,
  valid_from TEXT NOT NULL,
  currency TEXT NOT NULL,
  micros INTEGER CHECK (micros >= 0),
  source TEXT NOT NULL,
  PRIMARY KEY (country, category, valid_from)
) STRICT;
`,
}
