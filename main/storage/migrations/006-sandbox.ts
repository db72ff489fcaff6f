import type { Migration } from '../migrate.ts'

export const sandbox: Migration = { version: 6, name: 'sandbox', sql: '' }
