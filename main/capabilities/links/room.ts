import type { Cursors } from '../../kernel/page.ts'
import { room } from '../room.ts'
import { linksContract } from './contract.ts'
import { linksExistence, linksHandlers } from './handlers.ts'
import { createLinks, type LinksDeps } from './index.ts'

export function linksRoom(deps: LinksDeps & { readonly cursors: Cursors }) {
  const links = createLinks(deps)
  return room({
    name: 'links',
    contract: linksContract,
    handlers: linksHandlers(links, deps.cursors),
    existence: linksExistence(links),
    api: links,
  })
}
