/**
 * When Meta ends versions of its Graph API: two years after it released the next one (Meta's page about platform
 * versioning, and its changelog for the dates). A version that is not here has no date yet.
 */
const ENDS: Readonly<Record<string, string>> = {
  'v20.0': '2026-09-24',
  'v21.0': '2027-01-21',
  'v22.0': '2027-05-29',
  'v23.0': '2027-10-08',
}
const OLDEST_KNOWN = 20

/** The version that this driver is written for and tested with. */
export const TESTED_GRAPH_VERSION = 'v26.0'

/** Long enough to try another version, number by number. */
const GRAPH_VERSION_NOTICE_DAYS = 90
const DAY_MS = 86_400_000

/**
 * What somebody who runs an official number should know of the version it speaks.
 * @param version for example `v26.0`.
 * @returns null while there is nothing to do for the next 90 days. `endsOn` is a date, `2027-01-21`; null: it ended
 *   before those that are known.
 */
export function graphVersionEnd(
  version: string,
  nowMs: number,
): { readonly endsOn: string | null; readonly hasEnded: boolean } | null {
  if (Number.parseInt(version.slice(1), 10) < OLDEST_KNOWN) return { endsOn: null, hasEnded: true }
  const endsOn = ENDS[version]
  if (endsOn === undefined) return null
  const endsAtMs = Date.parse(endsOn)
  if (nowMs < endsAtMs - GRAPH_VERSION_NOTICE_DAYS * DAY_MS) return null
  return { endsOn, hasEnded: nowMs >= endsAtMs }
}
