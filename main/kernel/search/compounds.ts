const SHORTEST = 4
const LINKS = ['', 's', 'n', 'e', 'es', 'en', 'er'] as const
/** Longer ones are no words, and looking at all their parts would take long. */
const LONGEST = 40

/**
 * The two words that a stem is made of, as German ones are: `parkplatz` of `park` and `platz`, `hundesalon` of `hund` and
 * `salon`. Empty if none are known.
 * @param isKnown of a stem
 */
export function partsOfCompound(stem: string, isKnown: (part: string) => boolean): readonly string[] {
  if (stem.length < 2 * SHORTEST || stem.length > LONGEST || /\d/.test(stem)) return []
  for (let at = stem.length - SHORTEST; at >= SHORTEST; at--) {
    const right = stem.slice(at)
    if (!isKnown(right)) continue
    const left = leftOf(stem.slice(0, at), isKnown)
    if (left !== undefined) return [left, right]
  }
  return []
}

function leftOf(written: string, isKnown: (part: string) => boolean): string | undefined {
  for (const link of LINKS) {
    const left = written.slice(0, written.length - link.length)
    if (written.endsWith(link) && left.length >= SHORTEST - 1 && isKnown(left)) return left
  }
  return undefined
}

/** The same with umlauts, if they are written with an e and the word is known: `naecht` is `nacht`. */
export function withUmlauts(stem: string, isKnown: (part: string) => boolean): string | undefined {
  const respelt = stem.replace(/([aou])e(?=[a-z])/g, '$1')
  return respelt !== stem && isKnown(respelt) ? respelt : undefined
}
