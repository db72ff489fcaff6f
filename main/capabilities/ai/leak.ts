import { fold } from '../../kernel/search/index.ts'

/** This many consecutive words of our own rules cannot be a coincidence. */
const RULE_WORDS = 8
/** The operator's text contains facts that may be quoted, so only long passages of it, or nearly all of it, count. */
const PROMPT_WORDS = 30
const SHORTEST_PROMPT = 12
const MOST_OF_IT = 0.8

/** Whether an answer reveals the agent's instructions, which people try to extract from a model. */
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
 * Whether both contain the same run of this many words. Each word is mapped to one character, so that runs become
 * short texts and the time grows with the sum of both lengths, not with their product.
 */
function shareRun(a: readonly string[], b: readonly string[], length: number): boolean {
  const characters = new Map<string, string>()
  const spelled = (words: readonly string[]) =>
    words.map((word) => characters.get(word) ?? nextCharacter(characters, word)).join('')
  const [short, long] = [spelled(a), spelled(b)]
  const runs = new Set(runsOf(short, length))
  return runsOf(long, length).some((run) => runs.has(run))
}

/** Answers and prompts have far fewer distinct words than there are characters. */
function nextCharacter(characters: Map<string, string>, word: string): string {
  const character = String.fromCharCode(characters.size)
  characters.set(word, character)
  return character
}

const runsOf = (text: string, length: number): string[] =>
  Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length))
