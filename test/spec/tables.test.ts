import { expect, test } from 'vitest'
import { ERRORS as CATALOGUE, isRetryable } from '../../main/contract/errors.ts'
import { EVENT_TYPES as EVENTS } from '../../main/contract/events.ts'
import { SCOPE_ALIASES as SYNONYMS, SCOPES as KNOWN_SCOPES } from '../../main/contract/scopes.ts'
import { MESSAGE_STATUSES } from '../../main/contract/shapes.ts'
import * as tables from './tables.ts'

/** Rows of each table of the specification, counted there by hand: a row that is lost here is noticed here. */
const ROWS = {
  ENDPOINTS: 63,
  SCOPES: 18,
  SCOPE_SYNONYMS: 2,
  ERRORS: 17,
  EVENT_TYPES: 16,
  MESSAGE_TRANSITIONS: 7,
  DELIVERY_STATUSES: 4,
  DISABLED_REASONS: 2,
  ANSWER_HEADERS: 3,
  DELIVERY_HEADERS: 4,
  ENVELOPE_FIELDS: 7,
  ENVELOPE_INSTANCE_FIELDS: 4,
  RECEIVED_FIELDS: 7,
  CONNECTION_FIELDS: 4,
  QR_FIELDS: 2,
  WEBHOOK_FIELDS: 6,
} as const

/** Endpoints by the heading under which the specification lists them. */
const AREAS: readonly [name: string, path: RegExp, rows: number][] = [
  ['Account', /^\/v1\/me$/, 1],
  ['Instances', /^\/v1\/instances(\/\{id\}(\/(connection|health|qr|qr\/refresh|disconnect))?)?$/, 9],
  ['Messages', /^\/v1\/instances\/\{id\}\/messages/, 3],
  ['Account webhooks', /^\/v1\/webhooks/, 8],
  ['Voice recordings', /voice\/recordings/, 4],
  ['Per-instance webhook', /\{id\}\/webhook$/, 3],
  ['Restart and recreate', /\/(restart|recreate)$/, 3],
  ['Fusion', /\/fusion$/, 3],
  ['Access links and GHL', /\/(access-links|ghl\/connect)$/, 2],
  ['Billing', /^\/v1\/billing/, 3],
  ['Campaigns', /^\/v1\/campaigns/, 4],
  ['Voice calls, settings and widgets', /\/voice(\/(calls|enable|settings|widgets).*)?$/, 10],
  ['AI', /\/ai\//, 6],
  ['Engine', /\{id\}\/(engine\/|templates$|media\/)/, 4],
]

test('every table has as many rows as the specification', () => {
  const counted = Object.fromEntries(Object.keys(ROWS).map((name) => [name, tables[name as keyof typeof ROWS].length]))
  expect(counted).toEqual(ROWS)
})

test('no table has a row twice', () => {
  for (const name of Object.keys(ROWS) as (keyof typeof ROWS)[]) {
    const rows = tables[name].map((row) => JSON.stringify(row))
    expect(rows.length, name).toBe(new Set(rows).size)
  }
})

test.each(AREAS)('the endpoints of the area %s are complete', (_name, path, rows) => {
  expect(tables.ENDPOINTS.filter(([, template]) => path.test(template)).length).toBe(rows)
})

test('every endpoint belongs to exactly one area', () => {
  expect(AREAS.reduce((sum, [, , rows]) => sum + rows, 0)).toBe(tables.ENDPOINTS.length)
  for (const [method, template] of tables.ENDPOINTS) {
    expect(AREAS.filter(([, path]) => path.test(template)).length, `${method} ${template}`).toBe(1)
  }
})

test('every endpoint is under /v1', () => {
  expect(tables.ENDPOINTS.filter(([, path]) => !path.startsWith('/v1/'))).toEqual([])
})

test('the product has exactly the scopes and synonyms of the specification', () => {
  expect(KNOWN_SCOPES).toEqual(tables.SCOPES)
  expect(Object.entries(SYNONYMS)).toEqual(tables.SCOPE_SYNONYMS)
})

test('the product has exactly the event types of the specification', () => {
  expect(EVENTS).toEqual(tables.EVENT_TYPES)
})

test.each(tables.ERRORS)('the error %s has status %s and retryable %s', (code, status, retryable) => {
  // The specification shows no status for no_saved_card; ours is 402.
  expect(CATALOGUE[code].status).toBe(status ?? 402)
  expect(isRetryable(code)).toBe(retryable)
})

test('only 429 and every 5xx are retryable', () => {
  for (const [code, { status }] of Object.entries(CATALOGUE)) {
    expect(isRetryable(code as keyof typeof CATALOGUE), code).toBe(status === 429 || status >= 500)
  }
})

test('a message has exactly the statuses of the specification', () => {
  const named = tables.MESSAGE_TRANSITIONS.flatMap(([from, , to]) => [from, to]).filter((status) => status !== 'new')
  expect(MESSAGE_STATUSES.toSorted()).toEqual([...new Set(named)].toSorted())
})
