import { createHash } from 'node:crypto'
import { wordsOf } from '../../kernel/search/index.ts'

export const DIMENSIONS = 256
/** A subject joins words of three languages, and says less than a word that is the same. */
const SUBJECT = 0.6

/** A vector of the words of a text: texts that share words or subjects are near, others are not. */
export function embed(text: string, dimensions = DIMENSIONS): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  const add = (feature: string, weight: number) => {
    const hash = createHash('sha256').update(feature).digest()
    const at = hash.readUInt32LE(0) % dimensions
    vector[at] = (vector[at] ?? 0) + (hash.readUInt8(4) % 2 === 0 ? weight : -weight)
  }
  for (const { stem, subjects } of wordsOf(text)) {
    if (stem !== null) add(stem, 1)
    for (const { name } of subjects) add(name, SUBJECT)
  }
  const length = Math.hypot(...vector)
  // A text without words is near nothing, and still a vector.
  if (length === 0) return vector.map((_, at) => (at === 0 ? 1 : 0))
  return vector.map((value) => value / length)
}
