import { LIMITS } from './limits.ts'

/** A caller's X-Request-Id that we echo; any other is replaced by ours (spec: Limits). */
const REQUEST_ID = new RegExp(`^[A-Za-z0-9._:-]{1,${LIMITS.requestIdLength}}$`)

export function isRequestId(value: unknown): value is string {
  return typeof value === 'string' && REQUEST_ID.test(value)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Plain UUID text. `urn:uuid:…` and braces are not ids of ours. */
export function isUuid(value: string): boolean {
  return UUID.test(value)
}

export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString()

export const isoTimeOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : isoTime(epochMs))
