import type { Creator } from '../../kernel/access.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, KeyId } from '../../kernel/ids.ts'

/** A key that was revoked, or a member who was removed. */
interface EndedAccess {
  readonly who: Creator
  readonly accountId: AccountId
  /** false keeps the links and secrets that they created. */
  readonly endsLinks: boolean
}

type InCommit = (tx: Tx, ended: EndedAccess) => Promise<void>

export interface EndedAccesses {
  /** Runs in the commit that ends the access, so that nothing created with it outlives it. */
  readonly whenAccessEnds: (listener: InCommit) => void
  /** Called after the commit that revokes a key: its open streams end. */
  readonly onKeyEnded: (listener: (id: KeyId) => void) => void
  /** Notifies both kinds of listeners. */
  readonly endAccess: (tx: Tx, ended: EndedAccess) => Promise<void>
}

export function createEndedAccesses(): EndedAccesses {
  const inCommit: InCommit[] = []
  const afterwards: ((id: KeyId) => void)[] = []
  return {
    whenAccessEnds: (listener) => void inCommit.push(listener),
    onKeyEnded: (listener) => void afterwards.push(listener),
    async endAccess(tx, ended) {
      for (const listener of inCommit) await listener(tx, ended)
      if (!ended.who.startsWith('key:')) return
      const id = ended.who.slice('key:'.length) as KeyId
      tx.afterCommit(() => afterwards.forEach((listener) => listener(id)))
    },
  }
}
