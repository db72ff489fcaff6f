import type { Migration } from '../migrate.ts'

export const accounts: Migration = { version: 2, name: 'accounts', sql: '' }
