import { fold } from '../../kernel/search/index.ts'
import type { Case } from './contract.ts'

/** What the agent did with a question. */
export interface Outcome {
  readonly reply: string | null
  /** Why it handed over. */
  readonly handoff: string | null
}

/** Whether it did what the case expects, and which facts its answer lacks. For `a | b`, either one is enough. */
export function judge({ expects, facts }: Case, { reply, handoff }: Outcome): { passed: boolean; missing: string[] } {
  if (expects === 'handoff') return { passed: handoff !== null, missing: [] }
  const said = ` ${fold(reply ?? '')} `
  const missing = facts.filter((fact) => !fact.split('|').some((one) => said.includes(` ${fold(one)} `)))
  return { passed: handoff === null && reply !== null && missing.length === 0, missing }
}
