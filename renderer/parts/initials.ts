const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** `AS` for Ana Souza. A visible letter may be several characters, so that emoji are never cut in two. */
export const initials = (name: string): string =>
  name
    .trim()
    .split(/\s+/, 2)
    .map((word) => letters.segment(word).containing(0)?.segment ?? '')
    .join('')
