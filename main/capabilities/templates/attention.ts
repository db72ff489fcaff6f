import type { AnnouncedChange } from '../../engines/templates.ts'
import { isoTime } from '../../contract/request.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'

export interface AttentionDeps {
  /** The changes of categories that the network has announced, earliest first. */
  readonly announcedChanges: (accountId: AccountId) => Promise<readonly AnnouncedChange[]>
}

/** The window has words for each of these. */
const CATEGORIES: readonly string[] = ['MARKETING', 'UTILITY', 'AUTHENTICATION']

/** Templates whose messages will cost something else. */
export function createAttention({ announcedChanges }: AttentionDeps) {
  return async ({ accountId, network }: AttentionQuery): Promise<AttentionLine[]> => {
    if (network === 'sandbox') return []
    const changes = await announcedChanges(accountId)
    const [first] = changes
    if (first === undefined) return []
    const isOne = changes.length === 1
    const ids = [...new Set(changes.flatMap(({ instanceIds }) => instanceIds.slice(0, 1)))]
    const [id] = ids
    const code = isOne && CATEGORIES.includes(first.category) ? first.category : isOne ? 'other' : 'several'
    return [
      {
        ...{ code: 'category_changes', severity: 'warning', count: changes.length, sinceMs: null, text: null },
        ids,
        // The templates of a number are on its page.
        subject: ids.length === 1 && id !== undefined ? { id, name: first.name } : null,
        detail: { code, params: { at: isoTime(first.atMs) } },
      },
    ]
  }
}
