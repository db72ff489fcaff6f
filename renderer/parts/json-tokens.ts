export interface JsonToken {
  readonly kind: 'key' | 'string' | 'number' | 'word' | 'mark'
  readonly text: string
}

const PIECE = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|[^"\-\dtfn]+|./gs

/** Indented JSON as tokens for coloring. */
export function tokenizeJson(value: unknown): JsonToken[] {
  const text = JSON.stringify(value, null, 2) as string | undefined
  return [...(text ?? '').matchAll(PIECE)].flatMap(([whole, string, colon, number, word]): JsonToken[] => {
    if (string !== undefined && colon !== undefined)
      return [
        { kind: 'key', text: string },
        { kind: 'mark', text: colon },
      ]
    if (string !== undefined) return [{ kind: 'string', text: string }]
    if (number !== undefined) return [{ kind: 'number', text: number }]
    return [{ kind: word === undefined ? 'mark' : 'word', text: whole }]
  })
}

/** The value of a JSON text, otherwise the text itself. */
export function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
