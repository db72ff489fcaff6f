import type { GraphVersion } from '../../contract/graph-versions.ts'

/**
 * Versions of Meta's Graph API, oldest first, with the day each one ends. Meta ends a version two years after it
 * releases the next one (platform versioning page and changelog). null: no date yet.
 */
const CALENDAR = {
  'v20.0': '2026-09-24',
  'v21.0': '2027-01-21',
  'v22.0': '2027-05-29',
  'v23.0': '2027-10-08',
  'v24.0': null,
  'v25.0': null,
  'v26.0': null,
} as const satisfies Readonly<Record<GraphVersion, string | null>>

const OLDEST_KNOWN = 20

/** The version that this driver is written for and tested against. */
export const TESTED_GRAPH_VERSION = 'v26.0' satisfies GraphVersion

/** Long enough to test another version number by number. */
const GRAPH_VERSION_NOTICE_DAYS = 90
const DAY_MS = 86_400_000

/** @returns a date such as `2027-01-21`; null when Meta has announced none. */
export const endOfGraphVersion = (version: string): string | null =>
  isKnownGraphVersion(version) ? CALENDAR[version] : null

const isKnownGraphVersion = (version: string): version is GraphVersion => Object.hasOwn(CALENDAR, version)

/**
 * What the owner of an official number should know about its Graph version.
 * @param version for example `v26.0`.
 * @returns null while nothing needs to be done for the next 90 days. `endsOn` is a date such as `2027-01-21`; null
 * when the version ended before the known ones.
 */
export function graphVersionEnd(
  version: string,
  nowMs: number,
): { readonly endsOn: string | null; readonly hasEnded: boolean } | null {
  if (Number.parseInt(version.slice(1), 10) < OLDEST_KNOWN) return { endsOn: null, hasEnded: true }
  const endsOn = endOfGraphVersion(version)
  if (endsOn === null) return null
  const endsAtMs = Date.parse(endsOn)
  if (nowMs < endsAtMs - GRAPH_VERSION_NOTICE_DAYS * DAY_MS) return null
  return { endsOn, hasEnded: nowMs >= endsAtMs }
}

/** The same as a sentence; null when there is nothing to report. */
export function graphVersionWarning(version: string, nowMs: number): string | null {
  const end = graphVersionEnd(version, nowMs)
  if (end === null) return null
  return end.hasEnded
    ? `Meta has ended version ${version} of its Graph API${end.endsOn === null ? '' : ` on ${end.endsOn}`}`
    : `Meta ends version ${version} of its Graph API on ${end.endsOn}`
}
