import type { Migration } from '../migrate.ts'

/** Orders that are to be looked up when the service starts. */
export const ordersUndecided: Migration = {
  version: 40,
  name: 'orders-undecided',
  sql: `
CREATE INDEX billing_orders_undecided ON billing_orders (seq) WHERE status IN ('processing', 'open');
`,
}
