import { isoTime } from '../../contract/request.ts'
import { creatorOf } from '../../kernel/access.ts'
import { seqPage } from '../../kernel/list-page.ts'
import type { Cursors } from '../../kernel/page.ts'
import { Answer, type Existence, type Handlers } from '../handler.ts'
import type { linksContract } from './contract.ts'
import type { Links } from './index.ts'

export function linksHandlers(links: Links, cursors: Cursors): Handlers<typeof linksContract> {
  return {
    async createAccessLink({ principal, instance, body, rawBody, idempotencyKey }) {
      const { link, isReplayed } = await links.create({
        ...{ createdBy: creatorOf(principal), instance, wish: body, rawBody, idempotencyKey },
      })
      return new Answer({ body: link, headers: isReplayed ? { 'Idempotent-Replayed': 'true' } : {} })
    },
    listAccessLinks: ({ instance, query }) =>
      seqPage(
        cursors,
        `access-links:${instance.accountId}:${instance.id}`,
        query,
        ({ before, rows }) => links.list(instance, before, rows),
        ({ seq: _seq, ...link }) => link,
      ),
    async revokeAccessLink({ instance, params }) {
      await links.revoke(instance, params.link_id.toLowerCase())
      return undefined
    },
    async listAccessLinkUses({ instance, params }) {
      const uses = await links.uses(instance, params.link_id.toLowerCase())
      return { data: uses.map(({ atMs, kind, address, browser }) => ({ at: isoTime(atMs), kind, address, browser })) }
    },
  }
}

export const linksExistence = (links: Links): Existence<typeof linksContract> => ({
  revokeAccessLink: (_principal, { id, link_id: linkId }) => links.requireLink(id, linkId),
  listAccessLinkUses: (_principal, { id, link_id: linkId }) => links.requireLink(id, linkId),
})
