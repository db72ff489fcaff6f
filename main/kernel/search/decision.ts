/** `answer`: the best entry may be sent. `unsure`: a person should answer. */
export type Decision = 'answer' | 'unsure'

/** Found with one half of the questions in test/capabilities/ai/golden, and tested with the other. */
export const THRESHOLDS = { confidence: 0.33, margin: 0.15 } as const

export const decide = (found: { readonly confidence: number; readonly margin: number }): Decision =>
  found.confidence >= THRESHOLDS.confidence && found.margin >= THRESHOLDS.margin ? 'answer' : 'unsure'
