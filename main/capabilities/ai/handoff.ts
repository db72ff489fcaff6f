import { fold } from '../../kernel/search/index.ts'
import type { Settings } from './settings.ts'
import { say } from './texts.ts'

type HandoffSettings = Pick<Settings, 'handoff'>

/**
 * Whether the text contains one of the words that ask for a person. Matches whole words and ignores case and accents.
 */
export function asksForPerson(text: string, { handoff }: HandoffSettings): boolean {
  const folded = ` ${fold(text)} `
  return handoff.keywords.some((keyword) => {
    const wanted = fold(keyword)
    return wanted !== '' && folded.includes(` ${wanted} `)
  })
}

/** The agent's message for a handoff without an answer of its own. */
export const handoffText = ({ handoff }: HandoffSettings, question: string): string =>
  handoff.message ?? say('handoff', question)
