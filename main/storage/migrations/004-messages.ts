import type { Migration } from '../migrate.ts'

export const messages: Migration = { version: 4, name: 'messages', sql: '' }
