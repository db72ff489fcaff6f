import { normalizeText } from '../../contract/normalize-text.ts'

/** Words with which a person stops messages, and starts them again. */
export interface Keywords {
  readonly stop: readonly string[]
  readonly start: readonly string[]
  /** Words that may ask for no more messages when they stand alone; a person decides. Default: the product's list. */
  readonly maybe?: readonly string[]
}

/**
 * Words that are ordinary answers, such as NO or FIN, are left out, and so are VOLTAR and ALTA, which menus use: they would opt
 * people back in who do not want it. CANCELAR and REMOVER also belong to appointments and orders, so they only ask a person.
 */
export const DEFAULT_KEYWORDS: Readonly<Record<string, Required<Keywords>>> = {
  en: {
    stop: [
      ...['STOP', 'STOP ALL', 'STOPALL', 'UNSUBSCRIBE', 'UNSUBSCRIBE ME', 'OPT OUT', 'OPTOUT', 'REMOVE ME'],
      ...['REMOVE ME FROM YOUR LIST', 'TAKE ME OFF YOUR LIST', 'STOP MESSAGING ME', 'STOP PROMOTIONS'],
    ],
    start: ['START', 'UNSTOP', 'SUBSCRIBE', 'OPT IN', 'OPTIN'],
    maybe: ['CANCEL', 'END', 'QUIT', 'REMOVE', 'REVOKE', 'LEAVE ME ALONE'],
  },
  pt: {
    stop: [
      ...['SAIR', 'PARAR', 'PARE', 'DESCADASTRAR', 'DESCADASTRE', 'DESINSCREVER', 'SAIR DA LISTA', 'PARAR DE RECEBER'],
      ...['ME TIRA DA LISTA', 'ME TIRE DA LISTA', 'ME REMOVE DA LISTA', 'ME REMOVA DA LISTA', 'NÃO ME MANDE MAIS'],
      ...['NÃO ME MANDE MAIS MENSAGENS', 'NÃO QUERO RECEBER', 'NÃO QUERO MAIS RECEBER', 'NÃO QUERO RECEBER MAIS'],
      ...['NÃO QUERO RECEBER MENSAGENS', 'NÃO QUERO RECEBER MAIS MENSAGENS', 'NÃO QUERO MAIS RECEBER MENSAGENS'],
    ],
    start: ['INSCREVER', 'QUERO RECEBER', 'QUERO VOLTAR A RECEBER'],
    maybe: ['CANCELAR', 'CANCELA', 'CANCELE', 'REMOVER', 'EXCLUIR', 'CHEGA', 'NÃO TENHO INTERESSE'],
  },
  es: {
    stop: [
      ...['BAJA', 'SALIR', 'PARAR', 'DETENER', 'DAR DE BAJA', 'DARME DE BAJA', 'DAME DE BAJA', 'DENME DE BAJA'],
      ...['DESUSCRIBIR', 'DESUSCRIBIRME', 'NO MOLESTAR', 'NO ME ESCRIBAN', 'NO ME ESCRIBAN MÁS', 'QUITAR DE LA LISTA'],
      ...['QUÍTAME DE LA LISTA', 'NO QUIERO RECIBIR', 'NO QUIERO RECIBIR MÁS', 'NO QUIERO RECIBIR MENSAJES'],
      ...['NO QUIERO RECIBIR MÁS MENSAJES'],
    ],
    start: ['DARME DE ALTA', 'QUIERO RECIBIR'],
    maybe: ['CANCELAR', 'CANCELA', 'CANCELEN', 'ELIMINAR', 'ALTO', 'NO ME INTERESA'],
  },
  fr: {
    stop: ['ARRET', 'ARRÊTER', 'DÉSABONNER', 'STOP PUB'],
    start: ['REPRENDRE', 'ABONNER'],
    maybe: ['ANNULER', 'SUPPRIMER'],
  },
  de: {
    stop: ['STOPP', 'ABMELDEN', 'AUSTRAGEN'],
    start: ['ANMELDEN', 'WIEDER ANMELDEN'],
    maybe: ['ABBRECHEN', 'LÖSCHEN', 'KÜNDIGEN'],
  },
  it: {
    stop: ['BASTA', 'CANCELLAMI', 'DISISCRIVI', 'DISISCRIVIMI'],
    start: ['ISCRIVI', 'ISCRIVIMI'],
    maybe: ['ANNULLA', 'CANCELLA', 'RIMUOVI'],
  },
}

/** Polite words around a keyword, without case and accents. */
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
/** A longer message is not searched for keywords. */
const LONGEST_SEARCHED = 300

/** Removes case, accents, punctuation, emoji and surrounding spaces: `«Sair!»` becomes `SAIR`. */
export const foldKeyword = (text: string): string => (text.length > LONGEST ? '' : fold(text))

const fold = (text: string): string =>
  normalizeText(text, 'NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim()
    .toUpperCase()

/** Removes polite words at both ends: `QUERO SAIR OBRIGADO` becomes `SAIR`, and `NAO QUERO SAIR` stays. */
function withoutCourtesy(folded: string): string {
  const words = folded.split(' ')
  if (words.length > MOST_WORDS) return folded
  const isMeant = (word: string) => !COURTESY.has(word)
  return words.slice(words.findIndex(isMeant), words.findLastIndex(isMeant) + 1).join(' ')
}

/** undefined: the message is not a keyword. `maybe`: a person decides whether it asks for no more messages. */
type KeywordMeaning = 'stop' | 'start' | 'maybe' | undefined

export interface KeywordTable {
  /**
   * Polite words around a stop word do not change its meaning. A start word must stand alone, because an unwanted
   * message is worse than a missing one. A stop word in a longer message, or a word such as CANCELAR, may mean
   * something else.
   */
  find(text: string): KeywordMeaning
}

/** @param changed the languages for which the account has its own words. */
export function createKeywordTable(changed: Readonly<Record<string, Keywords>>): KeywordTable {
  const languages = Object.entries({ ...DEFAULT_KEYWORDS, ...changed })
  const all = languages.map(([language, words]) => ({ ...words, maybe: maybeWords(language, words) }))
  const folded = (words: readonly string[]) => words.map(foldKeyword).filter((word) => word !== '')
  const stop = new Set(all.flatMap((words) => folded(words.stop)))
  const start = new Set(all.flatMap((words) => folded(words.start)))
  const maybe = new Set(all.flatMap((words) => folded(words.maybe)))
  const longestPhrase = Math.max(1, ...[...stop].map((phrase) => phrase.split(' ').length))

  /** A single word proves little in a long message; a phrase does. */
  const hasStopWord = (words: readonly string[]): boolean => {
    const shortest = words.length > MOST_WORDS ? 2 : 1
    for (let from = 0; from < words.length; from++)
      for (let length = shortest; length <= Math.min(longestPhrase, words.length - from); length++)
        if (stop.has(words.slice(from, from + length).join(' '))) return true
    return false
  }

  return {
    find(text) {
      if (text.length > LONGEST_SEARCHED) return undefined
      const whole = fold(text)
      const word = text.length > LONGEST ? '' : whole
      if (start.has(word)) return 'start'
      const core = withoutCourtesy(word)
      if (stop.has(word) || stop.has(core)) return 'stop'
      return maybe.has(word) || maybe.has(core) || hasStopWord(whole.split(' ')) ? 'maybe' : undefined
    },
  }
}

/** An account whose list is older than this feature uses the product's words. */
export const maybeWords = (language: string, { maybe }: Keywords): readonly string[] =>
  maybe ?? DEFAULT_KEYWORDS[language]?.maybe ?? []
