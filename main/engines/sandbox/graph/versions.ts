/**
 * Versions of the simulated Graph, oldest first, with the day on which Meta ends each one (Meta's changelog of the
 * Graph API). Later versions have no date yet.
 */
const VERSIONS: readonly (readonly [version: string, endsOn: string | null])[] = [
  ['v20.0', '2026-09-24'],
  ['v21.0', '2027-01-21'],
  ['v22.0', '2027-05-29'],
  ['v23.0', '2027-10-08'],
  ['v24.0', null],
  ['v25.0', null],
  ['v26.0', null],
]

/**
 * The version that answers a request: an ended version is answered by the oldest one that still works ("Platform
 * versioning").
 * @returns undefined for a version that does not exist.
 */
export function answeringVersion(asked: string, nowMs: number): string | undefined {
  const index = VERSIONS.findIndex(([version]) => version === asked)
  if (index === -1) return undefined
  const isOver = ([, endsOn]: (typeof VERSIONS)[number]) => endsOn !== null && nowMs >= Date.parse(endsOn)
  return VERSIONS.slice(index).find((one) => !isOver(one))?.[0]
}
