/**
 * The beginning of a text: its first sentence, and further ones of the first paragraph while all stay within
 * `characters`. Reference texts say more than a model needs to choose and call a tool.
 */
export function leadingSentences(text: string, characters: number): string {
  const [paragraph = ''] = text.split('\n\n')
  // A full stop ends a sentence only before a capital or code, so that `GET …/qr` and `e.g. 5` do not.
  const [first = '', ...more] = paragraph.split(/(?<=[.!?])\s+(?=[A-Z`])/)
  let words = first
  for (const sentence of more) {
    if (words.length + sentence.length >= characters) break
    words = `${words} ${sentence}`
  }
  return words
}
