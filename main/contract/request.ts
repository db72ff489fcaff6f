import { LIMITS } from './limits.ts'

/** An X-Request-Id that we echo; anything else is replaced by our own (spec: Limits). */
const REQUEST_ID = new RegExp(`^[A-Za-z0-9._:-]{1,${LIMITS.requestIdLength}}$`)

export function isRequestId(value: unknown): value is string {
  return typeof value === 'string' && REQUEST_ID.test(value)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Accepts plain UUIDs only: no `urn:uuid:…`, no braces. */
export function isUuid(value: string): boolean {
  return UUID.test(value)
}

export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString()

export const isoTimeOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : isoTime(epochMs))
