import type { Tx } from '../../kernel/db.ts'
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
