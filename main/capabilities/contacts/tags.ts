import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { countOfTag, nextTag } from './store.ts'

export interface TagCount {
  readonly tag: string
  readonly contacts: number
}

const MOST_TAGS = 500
/** Contacts counted before yielding to the event loop. */
const PORTION = 20_000

/** The tags of an account in order, at most 500, with their numbers of contacts. */
export function createTagCounts(db: Pick<Db, 'readOne'>) {
  async function count(accountId: AccountId, tag: string): Promise<number> {
    let contacts = 0
    for (let afterSeq = 0; ;) {
      const part = await db.readOne(countOfTag, { accountId, tag, afterSeq, rows: PORTION })
      contacts += part?.contacts ?? 0
      if (part === undefined || part.lastSeq === null || part.contacts < PORTION) return contacts
      afterSeq = part.lastSeq
      await yieldToEventLoop()
    }
  }

  return async function tagsOf(accountId: AccountId): Promise<readonly TagCount[]> {
    const tags: TagCount[] = []
    for (let after = ''; tags.length < MOST_TAGS;) {
      const tag = (await db.readOne(nextTag, { accountId, after }))?.tag
      if (tag === undefined || tag === null) break
      tags.push({ tag, contacts: await count(accountId, tag) })
      after = tag
      // Counting many small tags also takes long.
      await yieldToEventLoop()
    }
    return tags
  }
}
