import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createSearchIndex, type SearchResult } from '../../../main/kernel/search/index.ts'

interface Business {
  readonly language: 'pt' | 'es' | 'en'
  /** Thresholds were chosen with one half, and are tested with the other. */
  readonly half: 'tuning' | 'report'
  readonly faq: readonly { readonly id: string; readonly question: string; readonly answer: string }[]
  /** What people write, and the entry that answers it; null where none does. */
  readonly questions: readonly (readonly [string, string | null])[]
}

const FOLDER = resolve(import.meta.dirname, 'golden')

export const businesses: readonly (Business & { readonly name: string })[] = readdirSync(FOLDER)
  .toSorted()
  .map((file) => ({ name: file, ...(JSON.parse(readFileSync(resolve(FOLDER, file), 'utf8')) as Business) }))

export interface Outcome {
  readonly question: string
  readonly expected: string | null
  readonly result: SearchResult
}

/** Every question of these businesses, asked of its own FAQ. */
export function askAll(of: readonly Business[]): Outcome[] {
  return of.flatMap(({ faq, questions }) => {
    const index = createSearchIndex(faq)
    return questions.map(([question, expected]) => ({ question, expected, result: index.search(question) }))
  })
}

/** Shares of 0 to 1. */
export function figures(outcomes: readonly Outcome[], isSent = ({ decision }: SearchResult) => decision === 'answer') {
  const isRight = ({ expected, result }: Outcome) => result.hits[0]?.id === expected
  const answerable = outcomes.filter(({ expected }) => expected !== null)
  const sent = outcomes.filter(({ result }) => isSent(result))
  return {
    questions: outcomes.length,
    answerable: answerable.length,
    topRight: answerable.filter(isRight).length / answerable.length,
    wrongSent: sent.filter((outcome) => !isRight(outcome)).length / outcomes.length,
    answeredRight: sent.filter(isRight).length / answerable.length,
  }
}
