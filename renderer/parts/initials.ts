const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** `AS` for Ana Souza. One visible letter may be several characters: an emoji is never cut in two. */
export const initials = (name: string): string =>
  name
    .trim()
    .split(/\s+/, 2)
    .map((word) => letters.segment(word).containing(0)?.segment ?? '')
    .join('')
