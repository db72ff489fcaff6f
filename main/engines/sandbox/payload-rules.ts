import { interactiveProblem } from './interactive-rules.ts'

type Json = Readonly<Record<string, unknown>>
type Check = (content: Json) => string | undefined

const FILES = ['image', 'video', 'audio', 'document', 'sticker']

/** The message types that Meta accepts, and what each one requires. */
const CHECKS: Readonly<Record<string, Check>> = {
  text({ body }) {
    return typeof body !== 'string' || body === '' ? 'The parameter text.body is required.' : undefined
  },
  ...Object.fromEntries(FILES.map((type): [string, Check] => [type, fileProblem])),
  location({ latitude, longitude }) {
    const isPlace = typeof latitude === 'number' && typeof longitude === 'number'
    return isPlace ? undefined : 'location needs latitude and longitude.'
  },
  contacts({ contacts }) {
    return Array.isArray(contacts) && contacts.length > 0 ? undefined : 'The parameter contacts must be a list.'
  },
  interactive: interactiveProblem,
  reaction({ message_id: id, emoji }) {
    const isReaction = typeof id === 'string' && typeof emoji === 'string'
    return isReaction ? undefined : 'reaction needs message_id and emoji.'
  },
  template({ name }) {
    return typeof name === 'string' ? undefined : 'The parameter template.name is required.'
  },
}

/** Whether Meta has messages of this type. */
export const isMessageType = (type: unknown): type is string => typeof type === 'string' && Object.hasOwn(CHECKS, type)

/** The part of a payload with the type's own fields; undefined if missing. */
export function contentIn(payload: Json, type: string): Json | undefined {
  if (type === 'contacts') return { contacts: payload['contacts'] }
  const content = payload[type]
  return typeof content === 'object' && content !== null && !Array.isArray(content) ? (content as Json) : undefined
}

/** Meta's error for an incomplete message; undefined if it is complete. */
export const contentProblem = (type: string, content: Json): string | undefined => CHECKS[type]?.(content)

function fileProblem({ id, link, voice }: Json): string | undefined {
  if (voice !== undefined && typeof voice !== 'boolean') return 'Param voice must be a boolean.'
  return typeof id === 'string' || typeof link === 'string' ? undefined : 'A media message needs id or link.'
}
