import type { Migration } from '../migrate.ts'

/** Rates for messages with which the operator corrects or completes the included ones. */
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
