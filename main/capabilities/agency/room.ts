import type { Cursors } from '../../kernel/page.ts'
import { room } from '../room.ts'
import { createAttention } from './attention.ts'
import { agencyContract } from './contract.ts'
import { agencyExistence, agencyHandlers } from './handlers.ts'
import { createAgency, type AgencyDeps } from './index.ts'

export function agencyRoom(deps: AgencyDeps & { readonly cursors: Cursors }) {
  const agency = createAgency(deps)
  return room({
    name: 'agency',
    contract: agencyContract,
    handlers: agencyHandlers({ ...deps, agency }),
    existence: agencyExistence(agency),
    api: agency,
    attention: createAttention(deps),
    recover: agency.recover,
    chores: [agency.chore],
  })
}
