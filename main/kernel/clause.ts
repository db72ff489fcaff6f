/** A sentence as a part of another one: without its full stop. */
export function asClause(sentence: string): string {
  const words = sentence.trimEnd()
  return words.endsWith('.') ? words.slice(0, -1) : words
}
