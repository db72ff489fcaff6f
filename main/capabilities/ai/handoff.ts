import { fold } from '../../kernel/search/index.ts'
import type { Settings } from './settings.ts'
import { say } from './texts.ts'

type HandoffSettings = Pick<Settings, 'handoff'>

/** Whether the text has one of the words that call a person: as whole words, ignoring case and accents. */
export function asksForPerson(text: string, { handoff }: HandoffSettings): boolean {
  const folded = ` ${fold(text)} `
  return handoff.keywords.some((keyword) => {
    const wanted = fold(keyword)
    return wanted !== '' && folded.includes(` ${wanted} `)
  })
}

/** What the agent writes when it hands over and has no answer of its own. */
export const handoffText = ({ handoff }: HandoffSettings, question: string): string =>
  handoff.message ?? say('handoff', question)
