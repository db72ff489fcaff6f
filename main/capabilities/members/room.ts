import { accountRoom } from '../account/room.ts'
import { agencyRoom } from '../agency/room.ts'
import { crmRoom } from '../crm/room.ts'
import { linksRoom } from '../links/room.ts'
import { defineRoom } from '../room.ts'
import { membersContract } from './contract.ts'
import { membersExistence, membersHandlers } from './handlers.ts'
import { createMembers, type MembersDeps } from './index.ts'

interface Deps extends Omit<MembersDeps, 'accounts' | 'linksCreatedBy' | 'crmSecretsOf' | 'address'> {
  readonly linkAddress: MembersDeps['address']
}

export const membersRoom = defineRoom({
  name: 'members',
  contract: membersContract,
  uses: { accounts: accountRoom, agency: agencyRoom, crm: crmRoom, links: linksRoom },
  build({ linkAddress, ...deps }: Deps, { accounts, agency, crm, links }) {
    const members = createMembers({
      ...{ ...deps, accounts, address: linkAddress },
      linksCreatedBy: links.createdBy,
      crmSecretsOf: crm.secretsOf,
    })
    agency.whenDeleted(members.accountDeleted)
    return { handlers: membersHandlers(members), existence: membersExistence(members), api: members }
  },
})
