/** `answer`: the best entry may be sent. `unsure`: a person should answer. */
export type Decision = 'answer' | 'unsure'

/** Found with one half of the questions in test/capabilities/ai/golden, and tested with the other. */
export const THRESHOLDS = { confidence: 0.33, margin: 0.15 } as const

/** Of passages, which say more than they were asked for. Found with one half of test/evaluation/retrieval. */
const PASSAGE_THRESHOLDS = { confidence: 0.35, margin: 0.5 } as const

interface Found {
  readonly confidence: number
  readonly margin: number
}

export function decide({ confidence, margin }: Found, isPassage = false): Decision {
  const least = isPassage ? PASSAGE_THRESHOLDS : THRESHOLDS
  return confidence >= least.confidence && margin >= least.margin ? 'answer' : 'unsure'
}

/** An entry below it has hardly a word of the question. */
const LEAST_CONFIDENCE = 0.08
/** Of the best entry; one further behind is about something else. Both cost no answer of the tuning half. */
const LEAST_OF_BEST = 0.25

/** Whether an entry found by its words is worth reading. */
export const isRelevant = (confidence: number, best: number): boolean =>
  confidence >= LEAST_CONFIDENCE && confidence >= LEAST_OF_BEST * best
