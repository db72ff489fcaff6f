import type { Principal } from '../../kernel/access.ts'
import { Answer, answerOfCreated, type Existence, type Handlers } from '../handler.ts'
import { decodeKeyHeader, sendAnswer } from '../messages/index.ts'
import type { campaignsContract } from './contract.ts'
import type { TestReply } from './contract/preview.ts'
import type { Campaigns } from './index.ts'
import { Readable } from 'node:stream'

export function campaignsHandlers(campaigns: Campaigns): Handlers<typeof campaignsContract> {
  const { controls, updates, reports } = campaigns

  const act = (name: keyof typeof controls) => async (call: { principal: Principal; params: { id: string } }) => {
    const { campaign } = await campaigns.get(call.principal, call.params.id)
    return campaigns.full(await controls[name](campaign.id))
  }

  return {
    async createCampaign({ principal, body, rawBody, idempotencyKey }) {
      return answerOfCreated(await campaigns.create({ caller: principal, body, rawBody, idempotencyKey }))
    },
    async listCampaigns({ principal, query }) {
      const { data, nextCursor } = await campaigns.list(principal, query)
      return { data, next_cursor: nextCursor, has_more: nextCursor !== null }
    },
    async getCampaign({ principal, params }) {
      return campaigns.full((await campaigns.get(principal, params.id)).campaign)
    },
    async updateCampaign({ principal, params, body }) {
      const tally = await updates.update(principal, params.id, body)
      return { ...(await campaigns.full((await campaigns.get(principal, params.id)).campaign)), ...tally }
    },
    async deleteCampaign({ principal, params }) {
      await updates.remove(principal, params.id)
      return undefined
    },
    startCampaign: act('start'),
    pauseCampaign: act('pause'),
    resumeCampaign: act('resume'),
    cancelCampaign: act('cancel'),
    async listCampaignRecipients({ principal, params, query }) {
      const { campaign } = await campaigns.get(principal, params.id)
      const { data, nextCursor } = await campaigns.recipients(campaign.id, query)
      return { data, next_cursor: nextCursor, has_more: nextCursor !== null }
    },
    importCampaignRecipients: ({ principal, params, body, query }) =>
      campaigns.importFile(principal, params.id, body, query),
    async getCampaignReport({ principal, params, query, wantsCsv }) {
      const { campaign } = await campaigns.get(principal, params.id)
      if (!wantsCsv) return reports.totals(campaign, query.timeline === true)
      return new Answer({
        stream: Readable.from(reports.csv(campaign, principal.kind === 'console'), { objectMode: false }),
        headers: {
          'Content-Type': 'text/csv; charset=utf-8',
          'Content-Disposition': `attachment; filename="${campaign.id}.csv"`,
        },
      })
    },
    previewCampaign: ({ principal, body }) => campaigns.preview(principal, body),
    async testCampaign({ principal, params, body, rawBody, idempotencyKey }) {
      const found = await campaigns.get(principal, params.id)
      const { result, instanceId, variation } = await campaigns.test(found, {
        ...{ caller: principal, wish: body, rawBody: () => ({ test: params.id, ...(rawBody as object) }) },
        idempotencyKey: decodeKeyHeader(idempotencyKey),
      })
      const { bytes, headers } = sendAnswer(result)
      const sent = JSON.parse(bytes?.toString() ?? '{}') as Omit<TestReply, 'instance_id' | 'variation'>
      return new Answer({ status: 201, body: { ...sent, instance_id: instanceId, variation }, headers: { ...headers } })
    },
  }
}

export function campaignsExistence(campaigns: Campaigns): Existence<typeof campaignsContract> {
  const exists = (principal: Principal, { id }: { readonly id: string }) => campaigns.get(principal, id)
  return {
    updateCampaign: exists,
    deleteCampaign: exists,
    startCampaign: exists,
    pauseCampaign: exists,
    resumeCampaign: exists,
    cancelCampaign: exists,
    importCampaignRecipients: exists,
    testCampaign: exists,
  }
}
