import type { TranscriptLine } from './voice.ts'

const MOST_QUESTIONS = 3

/** The parts of a summary made without a model, in any language. */
export interface CallExtract {
  readonly agentLines: number
  readonly personLines: number
  /** The person's first questions, otherwise their first sentence. */
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

/** A gap that the person had to wait through. */
export const SLOW_ANSWER_MS = 2_500
const LONG_ANSWER_MS = 12_000
const LARGE_SHARE_PERCENT = 65

/** A note about the agent, based on the transcript alone. */
export type CoachingNote =
  | { readonly code: 'spoke_much' | 'spoke_little'; readonly percent: number }
  | { readonly code: 'no_answers'; readonly ms: number }
  | { readonly code: 'slow'; readonly slow: number; readonly answers: number }
  | { readonly code: 'quick'; readonly answers: number }
  | { readonly code: 'long' | 'brief'; readonly ms: number }

/** Three notes: the agent's share of the speech, its response time, and the length of its turns. */
export function coachingOf(lines: readonly TranscriptLine[], durationMs: number): readonly CoachingNote[] {
  const lengths = (of: TranscriptLine['speaker']) =>
    lines.filter(({ speaker }) => speaker === of).map((line) => line.end_ms - line.start_ms)
  const [agent, person] = [lengths('agent'), lengths('person')]
  const sum = (some: readonly number[]) => some.reduce((total, each) => total + each, 0)
  const percent = Math.round((100 * sum(agent)) / Math.max(1, sum(agent) + sum(person)))
  const gaps = lines.flatMap((line, i) => {
    const before = lines[i - 1]
    return line.speaker === 'agent' && before?.speaker === 'person' ? [Math.max(0, line.start_ms - before.end_ms)] : []
  })
  const slow = gaps.filter((gap) => gap > SLOW_ANSWER_MS).length
  const ms = agent.reduce((longest, each) => Math.max(longest, each), 0)
  return [
    { code: percent > LARGE_SHARE_PERCENT ? 'spoke_much' : 'spoke_little', percent },
    gaps.length === 0
      ? { code: 'no_answers', ms: durationMs }
      : slow > 0
        ? { code: 'slow', slow, answers: gaps.length }
        : { code: 'quick', answers: gaps.length },
    { code: ms > LONG_ANSWER_MS ? 'long' : 'brief', ms },
  ]
}
