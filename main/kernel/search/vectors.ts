import type { SearchEntry } from './entry.ts'

/** Between -1 and 1; 0 for vectors of different lengths. */
function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0
  let product = 0
  let lengthA = 0
  let lengthB = 0
  for (let at = 0; at < a.length; at++) {
    const x = a[at] ?? 0
    const y = b[at] ?? 0
    product += x * y
    lengthA += x * x
    lengthB += y * y
  }
  return lengthA === 0 || lengthB === 0 ? 0 : product / Math.sqrt(lengthA * lengthB)
}

/**
 * 0 to 1 for each entry with a vector, else null. Models differ in the cosine they give to unrelated texts, so what
 * counts is how far an entry is above the average of all.
 */
export function likeness(entries: readonly SearchEntry[], vector: Float32Array): readonly (number | null)[] {
  const cosines = entries.map((entry) => (entry.vector?.length === vector.length ? cosine(entry.vector, vector) : null))
  const known = cosines.filter((value) => value !== null)
  const average = known.reduce((sum, value) => sum + value, 0) / (known.length || 1)
  const base = Math.min(Math.max(average, 0), 0.95)
  return cosines.map((value) => (value === null ? null : Math.max(0, (value - base) / (1 - base))))
}
