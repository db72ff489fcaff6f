import type { Migration } from '../migrate.ts'

export const instances: Migration = { version: 3, name: 'instances', sql: '' }
