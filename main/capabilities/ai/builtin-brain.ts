import type { AiKnowledge } from '../ai-knowledge/index.ts'
import { NO_USAGE, type Brain, type BrainTurn, type Decision } from './decision.ts'
import { isCourtesy, isGreeting, say } from './texts.ts'

/**
 * Answers without a model: with the FAQ's answer if the match is certain, otherwise with one holding message and a
 * handoff. It never writes sentences of its own about the business.
 */
export function createBuiltinBrain({ knowledge }: { readonly knowledge: Pick<AiKnowledge, 'search'> }): Brain {
  return {
    async reply(turn, signal): Promise<Decision> {
      const { question, kind } = turn
      if (kind === 'follow_up') return { ...silent(turn), reply: say('followUp', lastOfPerson(turn)) }
      if (isCourtesy(question)) return silent(turn)
      if (isGreeting(question)) return { ...silent(turn), reply: say('greeting', question) }
      const { instanceId, accountId } = turn
      const found = await knowledge.search({ instanceId, accountId, provider: 'builtin' }, question, { signal })
      const [best] = found.sources
      if (best !== undefined && found.isSure)
        return { ...silent(turn), reply: best.excerpt, source: 'faq', sources: [best] }
      return {
        ...silent(turn),
        reply: say('holding', question),
        handoff: { reason: 'no_answer', detail: null },
        summary: question,
      }
    },
  }
}

const silent = ({ stageId }: BrainTurn): Decision => ({
  ...{ reply: null, media: [], stageId, handoff: null, summary: null },
  ...{ source: 'none', sources: [], toolCalls: [], usage: NO_USAGE },
})

const lastOfPerson = ({ history }: BrainTurn): string => history.findLast(({ from }) => from === 'person')?.text ?? ''
