import type { Cursors } from '../../kernel/page.ts'
import { accountRoom } from '../account/room.ts'
import { agencyRoom } from '../agency/room.ts'
import { entitlementsRoom } from '../entitlements/room.ts'
import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { linksContract } from './contract.ts'
import { linksExistence, linksHandlers } from './handlers.ts'
import { createLinks, type LinksDeps } from './index.ts'

interface Deps extends Omit<LinksDeps, 'instances' | 'isSuspended' | 'isFrozen' | 'brandOf' | 'address'> {
  readonly cursors: Cursors
  readonly linkAddress: LinksDeps['address']
}

export const linksRoom = defineRoom({
  name: 'links',
  contract: linksContract,
  uses: { account: accountRoom, agency: agencyRoom, entitlements: entitlementsRoom, instances: instancesRoom },
  build({ linkAddress, ...deps }: Deps, { account, agency, entitlements, instances }) {
    const links = createLinks({
      ...{ ...deps, instances, isSuspended: account.isSuspended },
      isFrozen: async (accountId) => (await entitlements.of(accountId)).frozen,
      ...{ brandOf: agency.brandOf, address: linkAddress },
    })
    account.whenAccessEnds(async (tx, { who, accountId, endsLinks }) => {
      if (!endsLinks) return
      await links.revokeCreatedBy(tx, accountId, who)
      await instances.endSeenLinks(tx, { accountId, who, opened: await links.instancesOf(tx, who) })
    })
    return { handlers: linksHandlers(links, deps.cursors), existence: linksExistence(links), api: links }
  },
})
