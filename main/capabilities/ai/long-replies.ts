import type { Engine } from '../../contract/shapes.ts'
import { splitText } from '../../kernel/markup/index.ts'
import type { ConversationRow } from './conversation-store.ts'
import { asksForMore, isYes, say } from './texts.ts'
import type { Part, TurnRow } from './turn-store.ts'

/**
 * Phones fold a message of more than about 3,000 characters behind “Read more”. Meta takes 4,096 and charges for each
 * message, so that there as few as possible are sent.
 */
const LENGTHS = {
  smv2: { limit: 3_000, isFewest: false },
  official: { limit: 4_000, isFewest: true },
} as const satisfies Record<Engine, object>

/** Then the agent asks whether to go on. */
const MOST_MESSAGES = 3

/** The part of an answer that is sent at once. @returns `rest`: what is sent when the person asks for it, or null. */
export function longReply(reply: string, engine: Engine): { readonly parts: Part[]; readonly rest: string | null } {
  const ending = `\n\n${say('goOn', reply)}`
  const { parts, rest } = splitText(reply, { ...LENGTHS[engine], most: MOST_MESSAGES, ending })
  return { parts: parts.map(textPart), rest }
}

/** The whole answer in one go: before a person takes over, there is no offer to continue. */
export const wholeReply = (reply: string, engine: Engine): Part[] =>
  splitText(reply, LENGTHS[engine]).parts.map(textPart)

const textPart = (text: string): Part => ({ kind: 'text', text })

/**
 * What is left of a long answer, if that is what the person wants now: a yes to the question that was just asked, or the
 * wish to go on at any time.
 */
export function wantedRest(
  { kind, question, turn }: Pick<TurnRow, 'kind' | 'question' | 'turn'>,
  { rest, restTurn }: Pick<ConversationRow, 'rest' | 'restTurn'>,
): string | null {
  if (rest === null || kind !== 'reply') return null
  const wants = asksForMore(question) || (restTurn === turn - 1 && isYes(question))
  return wants ? rest : null
}
