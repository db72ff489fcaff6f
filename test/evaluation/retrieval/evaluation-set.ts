import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const LANGUAGES = ['en', 'es', 'pt', 'de'] as const

/** What makes a question difficult; README.md explains each. */
export const KINDS = [
  'same_words',
  'inflection',
  'synonym',
  'typo',
  'no_accents',
  'other_language',
  'table',
  'across_heading',
  'list_item',
  'unanswerable',
] as const

/** One question of a client, and where the documents of the business answer it. */
export interface EvaluationPair {
  id: string
  business: string
  /** Of the question. */
  language: (typeof LANGUAGES)[number]
  question: string
  /** Alternatives: any one of them answers the question. Empty if no document does. `text` is copied from the document. */
  answers: { document: string; text: string }[]
  kind: (typeof KINDS)[number]
}

export interface EvaluationSet {
  pairs: EvaluationPair[]
  /** The text of each document by business and file name. */
  documents: Map<string, Map<string, string>>
}

export const loadEvaluationSet = (): EvaluationSet => {
  const folder = join(import.meta.dirname, 'documents')
  const documentsOf = (business: string): [string, string][] =>
    readdirSync(join(folder, business)).map((name) => [name, readFileSync(join(folder, business, name), 'utf8')])
  return {
    pairs: JSON.parse(readFileSync(join(import.meta.dirname, 'pairs.json'), 'utf8')) as EvaluationPair[],
    documents: new Map(readdirSync(folder).map((business) => [business, new Map(documentsOf(business))])),
  }
}
