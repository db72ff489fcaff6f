/** Shorter sentences are combined. */
const SHORTEST = 40
/** Flite needs up to half a second for this length if every character is spelled out (measured). */
const LONGEST = 120

/** Splits a text into sentences. One that is too long is split between words, or within a word if necessary. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let rest = text.trim(); rest !== '';) {
    const length = lengthOfFirst(rest)
    pieces.push(rest.slice(0, length).trimEnd())
    rest = rest.slice(length).trimStart()
  }
  return pieces
}

function lengthOfFirst(text: string): number {
  const most = Math.min(text.length, LONGEST)
  for (let at = Math.min(SHORTEST, most); at < most; at++)
    if ('.!?…'.includes(text.charAt(at - 1)) && isSpace(text.charAt(at))) return at
  if (text.length <= LONGEST) return text.length
  for (let at = LONGEST; at > 0; at--) if (isSpace(text.charAt(at))) return at
  return LONGEST
}

const isSpace = (character: string): boolean => character !== '' && character.trim() === ''
