import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { spellingsOf } from '../../kernel/phone-number.ts'
import { sql } from '../../kernel/sql.ts'

const messageIn = sql<{ instanceId: string; chat: string }, { seq: number }>(
  'SELECT seq FROM messages WHERE instance_id = :instanceId AND chat = :chat ORDER BY seq LIMIT 1',
)

/**
 * A chat keeps the spelling in which its number was first given, although the network may use another one: a Mexican
 * mobile that was written to as 52… may answer as 521….
 */
export async function chatAsFirstGiven(read: Pick<Tx, 'one'>, instanceId: string, chat: string): Promise<string> {
  const others = spellingsOf(chat).filter((spelling) => spelling !== chat)
  if (others.length === 0 || (await read.one(messageIn, { instanceId, chat }))) return chat
  for (const spelling of new Set(others)) if (await read.one(messageIn, { instanceId, chat: spelling })) return spelling
  return chat
}

/** The chats that an instance has under the spellings of one number, the oldest first. */
export async function chatsOfNumber(read: Pick<Tx, 'one'>, instanceId: string, chat: string): Promise<string[]> {
  const found: { readonly chat: string; readonly seq: number }[] = []
  for (const spelling of new Set([chat, ...spellingsOf(chat)])) {
    const first = await read.one(messageIn, { instanceId, chat: spelling })
    if (first !== undefined) found.push({ chat: spelling, seq: first.seq })
  }
  return found.toSorted((a, b) => a.seq - b.seq).map((one) => one.chat)
}

export interface ChatOfInstance {
  readonly instanceId: InstanceId
  readonly chat: string
}

const nextChat = sql<ChatOfInstance, ChatOfInstance>(
  `SELECT instance_id AS instanceId, chat FROM messages WHERE (instance_id, chat) > (:instanceId, :chat)
   ORDER BY instance_id, chat LIMIT 1`,
)

/** The chats of all instances, a page at a time. @param after undefined for the first ones. */
export async function chatsAfter(
  db: Pick<Db, 'readOne'>,
  after: ChatOfInstance | undefined,
  limit: number,
): Promise<readonly ChatOfInstance[]> {
  const chats: ChatOfInstance[] = []
  let last = after ?? { instanceId: '' as InstanceId, chat: '' }
  while (chats.length < limit) {
    const next = await db.readOne(nextChat, last)
    if (next === undefined) break
    chats.push(next)
    last = next
  }
  return chats
}
