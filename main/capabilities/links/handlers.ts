import { LIMITS } from '../../contract/limits.ts'
import { isoTime } from '../../contract/request.ts'
import { creatorOf } from '../../kernel/access.ts'
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
    async listAccessLinks({ instance, query: { limit = LIMITS.pageSizeDefault, cursor } }) {
      const list = `access-links:${instance.accountId}:${instance.id}`
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors.decode(list, cursor)[0])
      const found = await links.list(instance, before, limit + 1)
      const shown = found.slice(0, limit)
      const last = found.length > limit ? shown.at(-1) : undefined
      return {
        data: shown.map(({ seq: _seq, ...link }) => link),
        next_cursor: last === undefined ? null : cursors.encode(list, [last.seq]),
        has_more: last !== undefined,
      }
    },
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
