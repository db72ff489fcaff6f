import { normalizeText } from '../../contract/normalize-text.ts'

const MARKS = /\p{M}+/gu
const SEPARATORS = /[^\p{L}\p{N}#]+/gu

/** Lower case without accents and punctuation, words separated by single spaces: `Qual é o horário?` → `qual e o horario`. */
export function fold(text: string): string {
  return normalizeText(text, 'NFD')
    .replace(MARKS, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/['’](?=\p{L})/gu, '')
    .replace(SEPARATORS, ' ')
    .replaceAll('#', ' ')
    .trim()
}
