import { fold } from '../../kernel/search/index.ts'

/** So many words in a row of our own rules are no coincidence. */
const RULE_WORDS = 8
/** The operator's text has facts that may be quoted, so only long stretches of it, or nearly all of it, count. */
const PROMPT_WORDS = 30
const SHORTEST_PROMPT = 12
const MOST_OF_IT = 0.8

/** Whether an answer repeats the instructions of the agent: what a person talks a model into, above all. */
export function revealsInstructions(answer: string, rules: string, prompt: string): boolean {
  const said = wordsOf(answer)
  if (longestRun(said, wordsOf(rules), RULE_WORDS) >= RULE_WORDS) return true
  const own = wordsOf(prompt)
  if (own.length < SHORTEST_PROMPT) return false
  const limit = Math.min(PROMPT_WORDS, Math.ceil(own.length * MOST_OF_IT))
  return longestRun(said, own, limit) >= limit
}

const wordsOf = (text: string): string[] =>
  fold(text)
    .split(' ')
    .filter((word) => word !== '')

/** The longest run of words that is in both, or `enough` if it is at least that. */
function longestRun(a: readonly string[], b: readonly string[], enough: number): number {
  let last: number[] = []
  let longest = 0
  for (const word of a) {
    const row: number[] = []
    for (const [at, other] of b.entries()) {
      const run = word === other ? (last[at - 1] ?? 0) + 1 : 0
      row[at] = run
      longest = Math.max(longest, run)
      if (longest >= enough) return longest
    }
    last = row
  }
  return longest
}
