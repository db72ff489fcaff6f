import type { MessageContent } from '../../contract/message-content.ts'
import { shownText } from '../../engines/shown-text.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Messages } from '../messages/index.ts'
import type { Utterance } from './decision.ts'
import type { AiDeps } from './deps.ts'

/** Text shown for a message without words. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  image: '[image]',
  video: '[video]',
  audio: '[voice message]',
  document: '[file]',
  location: '[location]',
  contact: '[contact card]',
}
const UNREADABLE = new Set(Object.values(PLACEHOLDERS))

/** A message as text; empty if it has no content. */
export function spokenText({
  type,
  text,
  caption,
}: {
  readonly type: string
  readonly text: string
  readonly caption: string | null
}): string {
  const words = (text.trim() === '' ? (caption ?? '') : text).trim()
  const placeholder = PLACEHOLDERS[type]
  if (placeholder === undefined) return words
  return words === '' ? placeholder : `${placeholder} ${words}`
}

/** Whether it contains nothing that an agent could read. */
export const isUnreadable = (question: string): boolean =>
  question.split('\n').every((line) => UNREADABLE.has(line.trim()))

const MESSAGES = 40

/** The instance and the one fused with it: each message of a chat is stored with one of them. */
export async function sidesOf(
  { db, fusion }: Pick<AiDeps, 'db' | 'fusion'>,
  instanceId: InstanceId,
): Promise<readonly InstanceId[]> {
  const partnerId = await fusion.partnerOf({ one: db.readOne }, instanceId)
  return partnerId === undefined ? [instanceId] : [instanceId, partnerId]
}

/**
 * The last messages of a chat, oldest first.
 * @param sides result of `sidesOf`.
 */
export async function recentUtterances(
  messages: Pick<Messages, 'thread'>,
  sides: readonly InstanceId[],
  chat: string,
): Promise<Utterance[]> {
  const threads = await Promise.all(sides.map((id) => messages.thread(id, chat, { limit: MESSAGES })))
  const said = threads.flatMap(({ data }) => data.toReversed())
  const inOrder = sides.length === 1 ? said : said.toSorted((one, other) => one.createdAtMs - other.createdAtMs)
  return inOrder
    .slice(-MESSAGES)
    .filter(({ deletedAtMs, status }) => deletedAtMs === null && status !== 'failed')
    .map(({ direction, type, text, media, content }) => ({
      from: direction === 'in' ? ('person' as const) : ('agent' as const),
      text: spokenText({
        type,
        // The text of a tap is readable already.
        text: direction === 'in' ? text : shownText(text, contentIn(content)),
        caption: captionIn(media),
      }),
    }))
    .filter(({ text }) => text !== '')
}

/** Whether a colleague's message is still being sent: its event may come after the agent's answer. */
export async function hasPersonWritten(
  messages: Pick<Messages, 'thread'>,
  instanceId: InstanceId,
  chat: string,
  sinceMs: number,
): Promise<boolean> {
  const { data } = await messages.thread(instanceId, chat, { limit: 5 })
  return data.some(
    ({ direction, source, createdAtMs }) =>
      direction === 'out' && (source === 'console' || source === 'ghl') && createdAtMs >= sinceMs,
  )
}

const contentIn = (content: string | null): MessageContent | null =>
  content === null ? null : (JSON.parse(content) as MessageContent)

const captionIn = (media: string | null): string | null =>
  media === null ? null : ((JSON.parse(media) as { caption?: string | null }).caption ?? null)
