/** Existing area codes, with 800,000 people each. */
const AREAS = [305, 212, 213, 312, 415, 512, 617, 702] as const
const PER_AREA = 800_000

/**
 * @returns the phone number of the nth person. All numbers differ, are valid in the numbering plan, and have no
 * special meaning in the sandbox.
 */
export function phoneOf(n: number): string {
  const area = AREAS[Math.floor(n / PER_AREA)]
  if (area === undefined) throw new RangeError(`There are ${AREAS.length * PER_AREA} people.`)
  const exchange = 200 + (Math.floor(n / 1_000) % 800)
  return `1${area}${exchange}${String(n % 1_000).padStart(3, '0')}9`
}
