import { createHash } from 'node:crypto'
import { wordsOf } from '../../kernel/search/index.ts'

export const DIMENSIONS = 256
/** A subject groups words of three languages, and counts less than an equal word. */
const SUBJECT = 0.6

/** A vector of the words of a text: texts with common words or subjects are close, others are not. */
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
  // A text without words still needs a vector, which is close to no other.
  if (length === 0) return vector.map((_, at) => (at === 0 ? 1 : 0))
  return vector.map((value) => value / length)
}
