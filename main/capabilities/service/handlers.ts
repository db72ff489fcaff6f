import { isoTime } from '../../contract/request.ts'
import type { Handlers } from '../handler.ts'
import { COUNTED_AT_MOST, type serviceContract, type ToolCallRecord } from './contract.ts'
import type { ServiceRoom } from './index.ts'
import type { NotedCall } from './tool-calls.ts'

export function serviceHandlers(service: ServiceRoom): Handlers<typeof serviceContract> {
  const { tallies, passwords } = service
  return {
    getService: async ({ principal }) => ({
      ...service.facts(),
      password_set: await passwords.isPasswordSet(principal.accountId),
    }),
    async getOverview({ principal: { accountId, accountName } }) {
      const byStatus = await tallies.instances(accountId)
      return {
        account: { id: accountId, name: accountName },
        instances: {
          total: [...byStatus.values()].reduce((sum, count) => sum + count, 0),
          by_status: Object.fromEntries(byStatus),
        },
        webhooks: await tallies.webhooks(accountId),
        deliveries: await tallies.deliveries(accountId, COUNTED_AT_MOST),
        approvals: await tallies.approvals(accountId),
      }
    },
    createBackup: () => service.backUp(),
    listToolCalls: async ({ principal }) => ({ data: service.toolCalls(principal.accountId).map(toRecord) }),
    async putConsolePassword({ principal, body }) {
      await passwords.setPassword(principal.accountId, body.password)
      return undefined
    },
  }
}

const toRecord = ({
  id,
  atMs,
  caller: { key },
  tool,
  status,
  errorCode,
  ms,
  approvalId,
}: NotedCall): ToolCallRecord => ({
  id,
  at: isoTime(atMs),
  key: key && { id: key.id, name: key.name, last4: key.last4 },
  tool,
  status,
  error_code: errorCode,
  ms,
  approval_id: approvalId,
})
