import type { Engine } from '../../contract/shapes.ts'
import { splitText } from '../../kernel/markup/index.ts'
import type { ConversationRow } from './conversation-store.ts'
import { asksForMore, isYes, say } from './texts.ts'
import type { Part, TurnRow } from './turn-store.ts'

/**
 * Phones hide what is beyond about 3,000 characters behind “Read more”. Meta allows 4,096 and charges per message, so
 * there the fewest messages are sent.
 */
const LENGTHS = {
  smv2: { limit: 3_000, isFewest: false },
  official: { limit: 4_000, isFewest: true },
} as const satisfies Record<Engine, object>

/** After this many messages, the agent asks whether to continue. */
const MOST_MESSAGES = 3

/** The part of an answer to send now. @returns `rest`: what is sent on request, or null. */
export function longReply(reply: string, engine: Engine): { readonly parts: Part[]; readonly rest: string | null } {
  const ending = `\n\n${say('goOn', reply)}`
  const { parts, rest } = splitText(reply, { ...LENGTHS[engine], most: MOST_MESSAGES, ending })
  return { parts: parts.map(textPart), rest }
}

/** The whole answer: before a handoff there is no offer to continue. */
export const wholeReply = (reply: string, engine: Engine): Part[] =>
  splitText(reply, LENGTHS[engine]).parts.map(textPart)

const textPart = (text: string): Part => ({ kind: 'text', text })

/**
 * The rest of a long answer, if the person asks for it now: with a yes to the question just asked, or with a request
 * to continue at any time.
 */
export function wantedRest(
  { kind, question, turn }: Pick<TurnRow, 'kind' | 'question' | 'turn'>,
  { rest, restTurn }: Pick<ConversationRow, 'rest' | 'restTurn'>,
): string | null {
  if (rest === null || kind !== 'reply') return null
  const wants = asksForMore(question) || (restTurn === turn - 1 && isYes(question))
  return wants ? rest : null
}
