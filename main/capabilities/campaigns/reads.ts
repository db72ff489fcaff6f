import type { CampaignSummary } from '../../contract/campaign.ts'
import type { CampaignRecipient } from '../../contract/campaign-recipient.ts'
import { normalizeText } from '../../contract/normalize-text.ts'
import { canAccessInstance, type Principal } from '../../kernel/access.ts'
import { convertLong, readLongPage } from '../../kernel/long-rows.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { CampaignsDeps } from './deps.ts'
import {
  recipientsByStatus,
  recipientsPage,
  recipientsWhoOptedOut,
  recipientsWhoReplied,
  type Recipient,
} from './recipient-store.ts'
import { toRecipient, type Records } from './record.ts'
import { campaignsPage, campaignsPageByStatus, lanesOfMany, toHead, type CampaignHeadRow } from './store.ts'

interface Page<T> {
  readonly data: T[]
  readonly nextCursor: string | null
}

interface Paging {
  readonly limit?: number
  readonly cursor?: string
}

/** Rows read at a time while searching. */
const WINDOW = 2_000
const NEWEST = Number.MAX_SAFE_INTEGER

export function createReads({
  db,
  cursors,
  records,
}: Pick<CampaignsDeps, 'db' | 'cursors'> & { readonly records: Records }) {
  /** A restricted key sees only campaigns whose instances are all in its list. */
  async function visible(caller: Principal, rows: readonly CampaignHeadRow[]): Promise<CampaignHeadRow[]> {
    if (caller.allowedInstanceIds === null || rows.length === 0) return [...rows]
    const ids = rows.map(({ id }) => id)
    const lanes = (await lanesOfMany.over(ids, {}, (statement, params) => db.read(statement, params))).flat()
    const hidden = new Set(
      lanes.filter(({ instanceId }) => !canAccessInstance(caller, instanceId)).map(({ campaignId }) => campaignId),
    )
    return rows.filter(({ id }) => !hidden.has(id))
  }

  return {
    async list(
      caller: Principal,
      { status, limit = 50, cursor }: Paging & { readonly status?: string },
    ): Promise<Page<CampaignSummary>> {
      const { accountId } = caller
      const name = `campaigns ${accountId} ${status ?? ''}`
      let beforeSeq = cursor === undefined ? NEWEST : Number(cursors.decode(name, cursor)[0])
      const found: CampaignHeadRow[] = []
      for (;;) {
        const range = { accountId, beforeSeq, rows: limit + 1 }
        const rows =
          status === undefined
            ? await db.read(campaignsPage, range)
            : await db.read(campaignsPageByStatus, { ...range, status })
        found.push(...(await visible(caller, rows)))
        const last = rows.at(-1)
        if (found.length > limit || last === undefined || rows.length <= limit) break
        beforeSeq = last.seq
      }
      const shown = found.slice(0, limit)
      const last = shown.at(-1)
      const hasMore = found.length > limit && last !== undefined
      return {
        data: await records.summaries(shown.map(toHead)),
        nextCursor: hasMore ? cursors.encode(name, [last.seq]) : null,
      }
    },

    async recipients(
      campaignId: string,
      { status, search, limit = 50, cursor }: Paging & { readonly status?: string; readonly search?: string },
    ): Promise<Page<CampaignRecipient>> {
      const name = `campaign recipients ${campaignId} ${status ?? ''} ${search ?? ''}`
      const after = cursor === undefined ? 0 : Number(cursors.decode(name, cursor)[0])
      const { shown, hasMore } = await findRecipients(campaignId, { status, search, after, limit })
      const last = hasMore ? shown.at(-1) : undefined
      return {
        data: await convertLong(shown, toRecipient),
        nextCursor: last === undefined ? null : cursors.encode(name, [last.position]),
      }
    },
  }

  async function findRecipients(
    campaignId: string,
    wish: { status: string | undefined; search: string | undefined; after: number; limit: number },
  ): Promise<{ shown: Recipient[]; hasMore: boolean }> {
    const { status, search, limit } = wish
    if (search === undefined) return readRange(campaignId, status, wish.after, limit)
    const matches = matcherOf(search)
    const found: Recipient[] = []
    let { after } = wish
    for (;;) {
      const { shown, hasMore } = await readRange(campaignId, status, after, WINDOW)
      found.push(...shown.filter(matches))
      const last = shown.at(-1)
      if (found.length > limit || last === undefined || !hasMore)
        return { shown: found.slice(0, limit), hasMore: found.length > limit }
      after = last.position
      await yieldToEventLoop()
    }
  }

  function readRange(campaignId: string, status: string | undefined, from: number, limit: number) {
    return readLongPage<Recipient>(limit, (rows, last) =>
      readRows(status, { campaignId, after: last?.position ?? from, rows }),
    )
  }

  function readRows(status: string | undefined, range: { campaignId: string; after: number; rows: number }) {
    if (status === undefined) return db.read(recipientsPage, range)
    if (status === 'replied') return db.read(recipientsWhoReplied, range)
    if (status === 'opted_out') return db.read(recipientsWhoOptedOut, range)
    return db.read(recipientsByStatus, { ...range, status })
  }
}

/** Matches digits of the number, or a part of the name. */
function matcherOf(search: string): (recipient: Recipient) => boolean {
  const words = folded(search.trim())
  const digits = /^[+\d\s().-]+$/.test(search) ? search.replaceAll(/\D/g, '') : ''
  return ({ phone, name }) =>
    (digits !== '' && phone.includes(digits)) || (name !== null && words !== '' && folded(name).includes(words))
}

const folded = (text: string): string => normalizeText(text, 'NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
