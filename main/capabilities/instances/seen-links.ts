import type { Creator } from '../../kernel/access.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { Engines } from './engines.ts'
import type { PasskeyLinks } from './passkey-links.ts'
import { officialCreatedBy, officialOfAccount, officialOfUnknownCreator } from './store.ts'

interface Deps {
  readonly engines: Engines
  readonly passkeyLinks: Pick<PasskeyLinks, 'endOf' | 'endOfInstance'>
}

export interface LostAccess {
  readonly accountId: AccountId
  readonly who: Creator
  /** Instances whose page of an access link they could open. */
  readonly opened: readonly InstanceId[]
}

/** Ends the links to a number that a person has seen, in the commit that ends the person's access. */
export function createSeenLinks({ engines, passkeyLinks }: Deps) {
  /** A key is shown the link of an instance that it creates; people see all of their account. */
  async function seenBy(tx: Tx, { accountId, who, opened }: LostAccess): Promise<Iterable<InstanceId>> {
    if (!who.startsWith('key:')) return (await tx.all(officialOfAccount, { accountId })).map(({ id }) => id)
    const created = await tx.all(officialCreatedBy, { creator: who })
    const unknown = await tx.all(officialOfUnknownCreator, { accountId })
    return new Set([...opened, ...[...created, ...unknown].map(({ id }) => id)])
  }

  async function renew(tx: Tx, id: InstanceId): Promise<void> {
    for (const { official } of Object.values(engines)) await official?.onboarding?.renew(tx, id)
  }

  return {
    async endSeenLinks(tx: Tx, lost: LostAccess): Promise<void> {
      for (const id of await seenBy(tx, lost)) await renew(tx, id)
      tx.afterCommit(() => passkeyLinks.endOf(lost))
    },
    /** Of an instance that leaves its account. */
    async endLinksOf(tx: Tx, id: InstanceId): Promise<void> {
      await renew(tx, id)
      tx.afterCommit(() => passkeyLinks.endOfInstance(id))
    },
  }
}
