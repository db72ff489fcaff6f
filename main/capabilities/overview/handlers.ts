import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import { issueDetails } from '../issue-details.ts'
import type { Handlers } from '../handler.ts'
import type { overviewContract } from './contract.ts'
import type { Overview } from './index.ts'

export function overviewHandlers(overview: Overview): Handlers<typeof overviewContract> {
  return {
    async listAttention({ principal: { accountId, role }, query: { network = null, include } }) {
      const lines = await overview.attention({ accountId, role, network })
      return {
        data: lines.map(({ room, code, severity, count, subject, ids, sinceMs, text, detail, facts }) => ({
          ...{ room, code, severity, count, subject, text, detail: detail ?? null },
          ...(include === 'ids' && ids && { ids: [...ids] }),
          ...(facts && { issue: issueDetails(facts) }),
          since: isoTimeOrNull(sinceMs),
        })),
      }
    },
    async getActivity({ principal: { accountId }, query: { range = '24h', network = null } }) {
      const { stepSeconds, points } = await overview.activity(accountId, { range, network })
      return {
        range,
        step_seconds: stepSeconds,
        data: points.map(({ atMs, ...counts }) => ({ at: isoTime(atMs), ...counts })),
      }
    },
    getSetup: ({ principal }) => overview.setup.read(principal.accountId),
    async dismissSetup({ principal }) {
      await overview.setup.dismiss(principal.accountId)
      return undefined
    },
  }
}
