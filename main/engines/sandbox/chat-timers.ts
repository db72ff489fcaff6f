import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

type Chat = { accountId: string; chat: string }

const all = sql<Record<never, never>, Chat & { seconds: number }>(
  'SELECT account_id AS accountId, chat, seconds FROM sandbox_timers',
)
const save = sql<Chat & { seconds: number }>(
  `INSERT INTO sandbox_timers (account_id, chat, seconds) VALUES (:accountId, :chat, :seconds)
   ON CONFLICT (account_id, chat) DO UPDATE SET seconds = excluded.seconds`,
)
const remove = sql<Chat>('DELETE FROM sandbox_timers WHERE account_id = :accountId AND chat = :chat')

export type ChatTimers = ReturnType<typeof createChatTimers>

/** Disappearing-message timers of the chats. All are held in memory, so that a send needs no query. */
export function createChatTimers(db: Db) {
  const timers = new Map<string, number>()
  let loading: Promise<void> | undefined

  async function load(): Promise<void> {
    for (const { accountId, chat, seconds } of await db.read(all, {})) timers.set(keyOf(accountId, chat), seconds)
  }

  return {
    /** Reads all timers, once. */
    load: () => (loading ??= load()),
    /** @param chat of `chatOf`. @returns 0 without a timer. */
    of: (accountId: AccountId, chat: string): number => timers.get(keyOf(accountId, chat)) ?? 0,
    async set(tx: Tx, accountId: AccountId, chat: string, seconds: number): Promise<void> {
      if (seconds === 0) await tx.run(remove, { accountId, chat })
      else await tx.run(save, { accountId, chat, seconds })
      tx.afterCommit(() => {
        if (seconds === 0) timers.delete(keyOf(accountId, chat))
        else timers.set(keyOf(accountId, chat), seconds)
      })
    },
  }
}

/** The same for both people of a chat. */
export const chatOf = (number: string, other: string, group: string | null): string =>
  group ?? [number, other].toSorted((a, b) => a.localeCompare(b, 'en')).join(' ')

const keyOf = (accountId: string, chat: string) => `${accountId} ${chat}`
