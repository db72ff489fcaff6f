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
  if (shareRun(said, wordsOf(rules), RULE_WORDS)) return true
  const own = wordsOf(prompt)
  if (own.length < SHORTEST_PROMPT) return false
  return shareRun(said, own, Math.min(PROMPT_WORDS, Math.ceil(own.length * MOST_OF_IT)))
}

const wordsOf = (text: string): string[] =>
  fold(text)
    .split(' ')
    .filter((word) => word !== '')

/**
 * Whether a run of so many words is in both. Each word becomes one character, so that the runs are short texts: the time
 * this takes grows with the length of both, and not with their product.
 */
function shareRun(a: readonly string[], b: readonly string[], length: number): boolean {
  const characters = new Map<string, string>()
  const spelled = (words: readonly string[]) =>
    words.map((word) => characters.get(word) ?? nextCharacter(characters, word)).join('')
  const [short, long] = [spelled(a), spelled(b)]
  const runs = new Set(runsOf(short, length))
  return runsOf(long, length).some((run) => runs.has(run))
}

/** Answers and prompts have far fewer words than there are characters. */
function nextCharacter(characters: Map<string, string>, word: string): string {
  const character = String.fromCharCode(characters.size)
  characters.set(word, character)
  return character
}

const runsOf = (text: string, length: number): string[] =>
  Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length))
