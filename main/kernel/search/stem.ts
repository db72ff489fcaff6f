/**
 * Endings of Portuguese, Spanish, English and German without accents, longest first. One list for all four: the language of a
 * short question is not known, and cognates should meet (`cancelación`, `cancelamento` and `cancellation` are `cancel`).
 */
const ENDINGS = [
  ...['amientos', 'imientos', 'amiento', 'imiento', 'amentos', 'imentos', 'amento', 'imento'],
  ...['aciones', 'iciones', 'acion', 'icion', 'acoes', 'icoes', 'acao', 'icao', 'ations', 'itions', 'ation', 'ition'],
  ...['ariamos', 'eriamos', 'iriamos', 'aremos', 'eremos', 'iremos', 'assem', 'essem', 'issem', 'aramos'],
  ...['ciones', 'coes', 'cion', 'cao', 'tions', 'tion', 'mente', 'idades', 'idade', 'idad', 'ments', 'ment'],
  ...['adores', 'adora', 'ador', 'aron', 'ieron', 'aram', 'eram', 'iram', 'avam', 'aban', 'ariam', 'arian'],
  ...['iendo', 'ando', 'endo', 'indo', 'ados', 'adas', 'idos', 'idas', 'ado', 'ada', 'ido', 'ida'],
  ...['amos', 'emos', 'imos', 'aria', 'eria', 'iria', 'aste', 'iste', 'arei', 'erei', 'irei', 'ava', 'aba'],
  ...['zinhos', 'zinhas', 'zinho', 'zinha', 'inhos', 'inhas', 'inho', 'inha', 'itos', 'itas', 'ito', 'ita'],
  ...['arme', 'arlo', 'arla', 'arse', 'erme', 'irme', 'ings', 'ing', 'ers', 'ed'],
  ...['ungen', 'ung', 'heiten', 'heit', 'keiten', 'keit', 'lichen', 'liche', 'lich', 'tet', 'et', 'ern'],
  ...['eis', 'ais', 'oes', 'aes', 'ies', 'iam', 'ian', 'ria', 'ou', 'ei'],
  ...['ar', 'er', 'ir', 'am', 'em', 'an', 'en', 'as', 'es', 'os', 'ao', 'ia', 'io', 'al', 'el'],
  ...['a', 'e', 'o', 's', 'i', 'y'],
]
const LONGEST = Math.max(...ENDINGS.map(({ length }) => length))
const KNOWN = new Set(ENDINGS)
const SHORTEST_STEM = 3

/** The part of a folded word that its forms share. Only for comparing: it is often no word. */
export function stem(word: string): string {
  if (word.length <= SHORTEST_STEM || /\d/.test(word)) return word
  // Silent in Portuguese and Spanish, and therefore often left out.
  let rest = word.startsWith('h') ? word.slice(1) : word
  // The participle of a German verb: `geoffnet` of `offnen`.
  if (/^ge.{4,}(?:t|en)$/.test(rest)) rest = rest.slice(2)
  rest = withoutDouble(withoutEnding(rest, LONGEST))
  // What is left of a word may have an ending of its own: `entregador`, `entrega`.
  return withoutDouble(withoutEnding(rest, 2))
}

/** `cancell` is `cancel`. */
const withoutDouble = (word: string): string =>
  word.length > SHORTEST_STEM && word.at(-1) === word.at(-2) ? word.slice(0, -1) : word

function withoutEnding(word: string, longest: number): string {
  if (word.endsWith('ss')) return word
  for (let length = Math.min(longest, word.length - SHORTEST_STEM); length > 0; length--) {
    if (KNOWN.has(word.slice(-length))) return word.slice(0, -length)
  }
  return word
}

const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/ph/g, 'f'],
  [/(sh|ch)/g, 'x'],
  [/h/g, ''],
  [/(qu|k)(?=[eiy])/g, 'c_'],
  [/k|qu|q/g, 'c'],
  [/(sc|c|ss|z|s)(?=[eiy])/g, 's'],
  [/c_/g, 'c'],
  [/z|ss/g, 's'],
  [/g(?=[eiy])/g, 'j'],
  [/ll|y/g, 'i'],
  [/w/g, 'u'],
  [/v/g, 'b'],
  [/m(?=[bp])|m$/g, 'n'],
  [/(.)(?=\1)/g, ''],
]

/** Spellings that sound alike in Portuguese or Spanish have the same key: `horario` and `orario`, `quero` and `kero`. */
export const soundOf = (word: string): string =>
  SOUNDS.reduce((sound, [pattern, by]) => sound.replace(pattern, by), word)
