/**
 * The first sentence of a text, and more of its first paragraph while they fit in `characters`. The API reference says
 * more than a model needs to choose and call a tool.
 */
export function leadingSentences(text: string, characters: number): string {
  const [paragraph = ''] = text.split('\n\n')
  // A full stop ends a sentence only before a capital or code, so that `GET …/qr` and `e.g. 5` do not.
  const [first = '', ...more] = paragraph.split(/(?<=[.!?])\s+(?=[A-Z`])/)
  let summary = first
  for (const sentence of more) {
    if (summary.length + sentence.length >= characters) break
    summary = `${summary} ${sentence}`
  }
  return summary
}
