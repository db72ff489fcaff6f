import { normalizeText } from '../../contract/normalize-text.ts'

/** A name of a hundred words is searched by its first. */
const MOST = 10
const LONGEST = 40

/** The words of a text without case and accents, for searching. */
export const termsOf = (text: string): readonly string[] =>
  [
    ...new Set(
      normalizeText(text, 'NFKD')
        .replaceAll(/\p{Mark}/gu, '')
        .toLowerCase()
        .split(/[^\p{Letter}\p{Number}]+/u)
        .filter((word) => word !== '')
        .map((word) => word.slice(0, LONGEST)),
    ),
  ].slice(0, MOST)

/** Comes after every text that begins with the prefix, and before every other that comes after those. */
export const endOfPrefix = (prefix: string): string => `${prefix}\u{10FFFF}`

export const reverse = (text: string): string => Array.from(text).toReversed().join('')
