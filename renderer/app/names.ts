/** Lists and names in the language of the window. */

/** “a, b, and c”. */
export const listText = (words: readonly string[], locale: string): string => new Intl.ListFormat(locale).format(words)

/** “2 days 3 hours”: the parts of one duration. */
export const joinParts = (parts: readonly string[], locale: string): string =>
  new Intl.ListFormat(locale, { type: 'unit', style: 'narrow' }).format(parts)

/** @returns a function that names a code, or returns the code if the language has no name. */
export function namesOf(type: 'region' | 'language' | 'currency', locale: string): (code: string) => string {
  const names = new Intl.DisplayNames(locale, { type })
  return (code) => names.of(code) ?? code
}
