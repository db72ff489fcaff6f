import type { TranscriptLine } from './voice.ts'

const MOST_QUESTIONS = 3

/** The parts of a summary that is made without a model, in any language. */
export interface CallExtract {
  readonly agentLines: number
  readonly personLines: number
  /** The person's first questions, or else the first thing they said. */
  readonly quotes: readonly string[]
  readonly areQuestions: boolean
}

export function extractOf(lines: readonly TranscriptLine[]): CallExtract {
  const person = lines.filter(({ speaker }) => speaker === 'person')
  const asked = person.filter(({ text }) => text.trim().endsWith('?')).slice(0, MOST_QUESTIONS)
  const quoted = asked.length > 0 ? asked : person.slice(0, 1)
  return {
    agentLines: lines.length - person.length,
    personLines: person.length,
    quotes: quoted.map(({ text }) => text.trim()),
    areQuestions: asked.length > 0,
  }
}
