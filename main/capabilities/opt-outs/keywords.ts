import { normalizeText } from '../../contract/normalize-text.ts'

/** What a person writes to get no more messages, and to get them again. */
export interface Keywords {
  readonly stop: readonly string[]
  readonly start: readonly string[]
}

/** Words that are ordinary answers, such as NO or FIN, are left out: they would opt people out who do not want it. */
export const DEFAULT_KEYWORDS: Readonly<Record<string, Keywords>> = {
  en: {
    stop: ['STOP', 'STOP ALL', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'OPT OUT', 'OPTOUT', 'REMOVE ME'],
    start: ['START', 'UNSTOP', 'SUBSCRIBE', 'OPT IN', 'OPTIN'],
  },
  pt: {
    stop: ['SAIR', 'PARAR', 'PARE', 'CANCELAR', 'REMOVER', 'DESCADASTRAR', 'DESINSCREVER', 'NÃO QUERO RECEBER'],
    start: ['VOLTAR', 'INSCREVER', 'QUERO RECEBER'],
  },
  es: {
    stop: ['BAJA', 'PARAR', 'CANCELAR', 'DETENER', 'DAR DE BAJA', 'DARME DE BAJA', 'NO MOLESTAR'],
    start: ['ALTA', 'VOLVER', 'DARME DE ALTA'],
  },
  fr: { stop: ['ARRET', 'ARRÊTER', 'DÉSABONNER', 'STOP PUB'], start: ['REPRENDRE', 'ABONNER'] },
  de: { stop: ['STOPP', 'ABMELDEN', 'AUSTRAGEN'], start: ['ANMELDEN', 'WIEDER ANMELDEN'] },
  it: { stop: ['BASTA', 'CANCELLAMI', 'DISISCRIVI', 'DISISCRIVIMI'], start: ['ISCRIVI', 'ISCRIVIMI'] },
}

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

export interface KeywordTable {
  /** undefined: the message is no keyword. */
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
      if (stop.has(word)) return 'stop'
      return start.has(word) ? 'start' : undefined
    },
  }
}
