/**
 * No language uses more; Unicode's Stream-Safe Text Format has the same limit. The last two characters become marks
 * in NFKD.
 */
const MARKS = /([\p{M}\uff9e\uff9f]{1,30})[\p{M}\uff9e\uff9f]*/gu

/**
 * `String.normalize` for untrusted text. Drops all but the first 30 combining marks of a letter: sorting marks takes
 * quadratic time, which is seconds for 64 kB.
 */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string =>
  // eslint-disable-next-line no-restricted-properties -- the runs are short now
  text.replaceAll(MARKS, '$1').normalize(form)
