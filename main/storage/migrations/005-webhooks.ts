import type { Migration } from '../migrate.ts'

export const webhooks: Migration = { version: 5, name: 'webhooks', sql: '' }
