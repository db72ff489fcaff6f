import type { Migration } from '../migrate.ts'

/** A received message is found by its id when something sealed with its secret arrives, such as an edit. */
export const inboundMessages: Migration = {
  version: 50,
  name: 'inbound-messages',
  sql: `
ALTER TABLE smv2_inbound ADD COLUMN engine_id TEXT;
CREATE INDEX smv2_inbound_message ON smv2_inbound (instance_id, engine_id);
`,
}
