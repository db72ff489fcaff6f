import { normalizeText } from '../../contract/normalize-text.ts'

/** Limit of search terms for a long name. */
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

/** Upper bound for all texts with this prefix. */
export const endOfPrefix = (prefix: string): string => `${prefix}\u{10FFFF}`

export const reverse = (text: string): string => Array.from(text).toReversed().join('')
