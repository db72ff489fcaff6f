import type { Migration } from '../migrate.ts'

export const ledger: Migration = { version: 1, name: 'ledger', sql: '' }
