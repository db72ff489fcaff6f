import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createChatIndex, type ChatIndex } from '../../../main/capabilities/messages/chat-index.ts'
import { createUnread } from '../../../main/capabilities/messages/unread.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { sql } from '../../../main/kernel/sql.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'
import { shortestOf, slowness } from '../../support/loop-stretch.ts'
import { seededRandom } from '../../support/random.ts'

const CHATS = 100_000
const instance = '0197f0c2-0000-7c51-9d2b-000000000001' as InstanceId
const MOST_MS = 20
const chatOf = (seq: number) => `1202${String(5_000_000 + seq)}`

let database: TestDatabase
let index: ChatIndex
/** Of the newest message. */
let newest = CHATS

/** Everybody has written once, and nothing is read. */
beforeAll(async () => {
  database = await testDatabase()
  index = createChatIndex({ db: database.db })
  database.raw.exec(`BEGIN;
    WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ${CHATS})
    INSERT INTO messages (seq, id, account_id, instance_id, direction, chat, type, text, is_group, created_at,
        engine_message_id, push_name)
      SELECT seq, 'msg_' || seq, 'a', '${instance}', 'in', '1202' || (5000000 + seq), 'text', 'Hi', 0, seq,
        'wamid.' || seq, 'Person ' || seq FROM n;
    WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ${CHATS})
    INSERT INTO unread_chats (instance_id, chat, messages, marked)
      SELECT '${instance}', '1202' || (5000000 + seq), 1, 0 FROM n;
    COMMIT`)
})
afterAll(() => database.close())

const page = (more: Partial<Parameters<ChatIndex['page']>[1]> = {}) =>
  index.page(instance, { beforeSeq: Number.MAX_SAFE_INTEGER, rows: 50, q: undefined, ...more })

const insertMessage = sql<{ seq: number; chat: string }>(
  `INSERT INTO messages (seq, id, account_id, instance_id, direction, chat, type, text, is_group, created_at,
     engine_message_id)
   VALUES (:seq, 'msg_' || :seq, 'a', '${instance}', 'in', :chat, 'text', 'Hi', 0, :seq, 'wamid.' || :seq)`,
)

/** A message of this chat, as the room stores and reports it. */
async function say(chat: string): Promise<void> {
  newest++
  await database.db.commit((tx) => tx.run(insertMessage, { seq: newest, chat }))
  index.touch(instance, chat)
}

describe('the chat index with 100,000 chats', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['the first page', page],
    [
      'a page after a message',
      async () => {
        await say(chatOf(70_000))
        return page()
      },
    ],
    ['a search for a name far down the list', () => page({ q: 'person 17' })],
    ['a search without results', () => page({ q: 'nobody' })],
    ['the unread chats', async () => page({ only: await unreadChats() })],
  ])('answers %s without blocking others', async (_, act) => {
    // The list is read, and names are, once.
    await act()
    expect((await shortestOf(4, act, MOST_MS)) / slowness()).toBeLessThan(MOST_MS)
  })

  test('searches the names of all chats', async () => {
    expect((await page({ q: 'Person 12345' })).map(({ chat }) => chat)).toEqual([chatOf(12_345)])
  })

  test('keeps the same order after new messages as a newly built index', async () => {
    const random = seededRandom(7)
    for (let round = 0; round < 5; round++) {
      for (let at = 0; at < 20; at++) await say(chatOf(random.bytes(2).readUInt16BE() + 1))
      const again = createChatIndex({ db: database.db })
      const wish = { beforeSeq: Number.MAX_SAFE_INTEGER, rows: CHATS, q: undefined }
      expect(await page({ rows: CHATS })).toEqual(await again.page(instance, wish))
    }
  })
})

const unreadChats = () => createUnread({ db: database.db, live: { publish() {} } }).chats(instance)
