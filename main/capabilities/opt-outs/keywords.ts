import { normalizeText } from '../../contract/normalize-text.ts'

/** What a person writes to get no more messages, and to get them again. */
export interface Keywords {
  readonly stop: readonly string[]
  readonly start: readonly string[]
}

/**
 * Words that are ordinary answers, such as NO or FIN, are left out, and so are those that menus and appointments use: VOLTAR,
 * CANCELAR, REMOVER, ALTA. They would opt people out, or back in, who do not want it.
 */
export const DEFAULT_KEYWORDS: Readonly<Record<string, Keywords>> = {
  en: {
    stop: [
      ...['STOP', 'STOP ALL', 'STOPALL', 'UNSUBSCRIBE', 'UNSUBSCRIBE ME', 'OPT OUT', 'OPTOUT', 'REMOVE ME'],
      ...['REMOVE ME FROM YOUR LIST', 'TAKE ME OFF YOUR LIST', 'STOP MESSAGING ME', 'STOP PROMOTIONS'],
    ],
    start: ['START', 'UNSTOP', 'SUBSCRIBE', 'OPT IN', 'OPTIN'],
  },
  pt: {
    stop: [
      ...['SAIR', 'PARAR', 'PARE', 'DESCADASTRAR', 'DESCADASTRE', 'DESINSCREVER', 'SAIR DA LISTA', 'PARAR DE RECEBER'],
      ...['ME TIRA DA LISTA', 'ME TIRE DA LISTA', 'ME REMOVE DA LISTA', 'ME REMOVA DA LISTA', 'NÃO ME MANDE MAIS'],
      ...['NÃO ME MANDE MAIS MENSAGENS', 'NÃO QUERO RECEBER', 'NÃO QUERO MAIS RECEBER', 'NÃO QUERO RECEBER MAIS'],
      ...['NÃO QUERO RECEBER MENSAGENS', 'NÃO QUERO RECEBER MAIS MENSAGENS', 'NÃO QUERO MAIS RECEBER MENSAGENS'],
    ],
    start: ['INSCREVER', 'QUERO RECEBER', 'QUERO VOLTAR A RECEBER'],
  },
  es: {
    stop: [
      ...['BAJA', 'SALIR', 'PARAR', 'DETENER', 'DAR DE BAJA', 'DARME DE BAJA', 'DAME DE BAJA', 'DENME DE BAJA'],
      ...['DESUSCRIBIR', 'DESUSCRIBIRME', 'NO MOLESTAR', 'NO ME ESCRIBAN', 'NO ME ESCRIBAN MÁS', 'QUITAR DE LA LISTA'],
      ...['QUÍTAME DE LA LISTA', 'NO QUIERO RECIBIR', 'NO QUIERO RECIBIR MÁS', 'NO QUIERO RECIBIR MENSAJES'],
      ...['NO QUIERO RECIBIR MÁS MENSAJES'],
    ],
    start: ['DARME DE ALTA', 'QUIERO RECIBIR'],
  },
  fr: { stop: ['ARRET', 'ARRÊTER', 'DÉSABONNER', 'STOP PUB'], start: ['REPRENDRE', 'ABONNER'] },
  de: { stop: ['STOPP', 'ABMELDEN', 'AUSTRAGEN'], start: ['ANMELDEN', 'WIEDER ANMELDEN'] },
  it: { stop: ['BASTA', 'CANCELLAMI', 'DISISCRIVI', 'DISISCRIVIMI'], start: ['ISCRIVI', 'ISCRIVIMI'] },
}

/** What people put around a word to be polite, without case and accents. */
const COURTESY: ReadonlySet<string> = new Set([
  ...['PLEASE', 'PLS', 'THANKS', 'THANK', 'YOU', 'HI', 'HELLO', 'I', 'WANT', 'TO', 'WOULD', 'LIKE', 'NOW', 'JUST'],
  ...['POR', 'FAVOR', 'OBRIGADO', 'OBRIGADA', 'GRATO', 'GRATA', 'OI', 'OLA', 'BOM', 'BOA', 'DIA', 'TARDE', 'NOITE'],
  ...['EU', 'QUERO', 'QUERIA', 'GOSTARIA', 'DE', 'PODE', 'PODEM', 'AGORA', 'JA', 'VALEU', 'TCHAU'],
  ...['GRACIAS', 'MUCHAS', 'HOLA', 'BUEN', 'BUENOS', 'BUENAS', 'DIAS', 'TARDES', 'NOCHES', 'YO', 'QUIERO', 'QUISIERA'],
  ...['DESEO', 'PUEDE', 'PUEDEN', 'AHORA', 'YA'],
  ...['MERCI', 'SVP', 'BITTE', 'DANKE', 'GRAZIE', 'FAVORE', 'PER'],
])
const MOST_WORDS = 8

/** A longer message is never a keyword. */
const LONGEST = 80

/** Without case, accents, punctuation, emoji and the spaces around: `«Sair!»` is `SAIR`. */
export function foldKeyword(text: string): string {
  if (text.length > LONGEST) return ''
  return normalizeText(text, 'NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim()
    .toUpperCase()
}

/** What stands between the courtesies at both ends: `QUERO SAIR OBRIGADO` is `SAIR`, `NAO QUERO SAIR` stays. */
function withoutCourtesy(folded: string): string {
  const words = folded.split(' ')
  if (words.length > MOST_WORDS) return folded
  const isMeant = (word: string) => !COURTESY.has(word)
  return words.slice(words.findIndex(isMeant), words.findLastIndex(isMeant) + 1).join(' ')
}

export interface KeywordTable {
  /**
   * undefined: the message is no keyword. Politeness around a stop word does not change what it means; a start word must
   * stand alone, because to write to somebody who did not ask for it is worse than not to.
   */
  find(text: string): 'stop' | 'start' | undefined
}

/** @param changed the languages that the account has words of its own for. */
export function createKeywordTable(changed: Readonly<Record<string, Keywords>>): KeywordTable {
  const all = Object.values({ ...DEFAULT_KEYWORDS, ...changed })
  const fold = (words: readonly string[]) => words.map(foldKeyword).filter((word) => word !== '')
  const stop = new Set(all.flatMap((words) => fold(words.stop)))
  const start = new Set(all.flatMap((words) => fold(words.start)))
  return {
    find(text) {
      const word = foldKeyword(text)
      if (start.has(word)) return 'start'
      return stop.has(word) || stop.has(withoutCourtesy(word)) ? 'stop' : undefined
    },
  }
}
