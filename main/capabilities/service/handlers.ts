import { isoTime } from '../../contract/request.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Handlers } from '../handler.ts'
import type { serviceContract } from './contract.ts'
import { COUNTED_AT_MOST } from './contract/overview.ts'
import type { ToolCallRecord } from './contract/console.ts'
import type { ServiceRoom } from './index.ts'
import type { RecordedToolCall } from './tool-calls.ts'

export function serviceHandlers(service: ServiceRoom): Handlers<typeof serviceContract> {
  const { tallies, account, settings } = service
  const countsOf = async (accountId: AccountId) => {
    const byStatus = await tallies.instances(accountId)
    return {
      instances: {
        total: [...byStatus.values()].reduce((sum, count) => sum + count, 0),
        by_status: Object.fromEntries(byStatus),
      },
      webhooks: await tallies.webhooks(accountId),
      deliveries: await tallies.deliveries(accountId, COUNTED_AT_MOST),
      approvals: await tallies.approvals(accountId),
    }
  }
  const settingsNow = () => ({ data: settings.list(), can_restart: service.canRestart })
  return {
    getService: async ({ principal }) => ({
      ...(principal.role === 'operator' ? service.facts() : factsForMembers(service.facts())),
      password_set: await account.isPasswordSet(principal.accountId),
    }),
    getOverview: async ({ principal: { accountId, accountName } }) => ({
      account: { id: accountId, name: accountName, first_run: await account.isFirstRun(accountId) },
      ...(await countsOf(accountId)),
    }),
    listEngines: async () => ({ data: [...service.engines] }),
    createBackup: () => service.backUp(),
    listBackups: async () => service.backups(),
    restoreBackup: ({ params }) => service.stageRestore(params.name),
    previewRestore: async ({ params }) => service.describeRestore(params.name),
    async cancelRestore() {
      await service.cancelRestore()
      return undefined
    },
    listSettings: async () => settingsNow(),
    async updateSettings({ body }) {
      const { changes = {} } = body
      if (Object.keys(changes).length > 0) await settings.change(changes)
      return settingsNow()
    },
    async restartService() {
      service.restart()
      return {}
    },
    async unlockService() {
      service.unlock()
      return {}
    },
    getDiagnostics: async ({ principal }) => service.diagnostics(await countsOf(principal.accountId)),
    listToolCalls: async ({ principal }) => ({ data: service.toolCalls(principal.accountId).map(toRecord) }),
    listAssistants: async ({ principal }) => ({
      data: service.assistants(principal.accountId).map(({ caller: { key }, client, lastSeenAtMs }) => ({
        key: key && { id: key.id, name: key.name, last4: key.last4 },
        client,
        last_seen_at: isoTime(lastSeenAtMs),
      })),
    }),
    async putConsolePassword({ principal, body }) {
      await account.setPassword(principal, body.password)
      return undefined
    },
  }
}

/** Leaves out the facts about the computer. */
const factsForMembers = (facts: ReturnType<ServiceRoom['facts']>): typeof facts => ({
  ...facts,
  ...{ home: '', database_bytes: 0, mcp_bridge: null, warnings: [], troubles: [], notices: [] },
  vault: { ...facts.vault, asking: null, notice: null, problem: null },
})

const toRecord = ({
  id,
  atMs,
  caller: { key },
  tool,
  status,
  errorCode,
  ms,
  approvalId,
}: RecordedToolCall): ToolCallRecord => ({
  id,
  at: isoTime(atMs),
  key: key && { id: key.id, name: key.name, last4: key.last4 },
  tool,
  status,
  error_code: errorCode,
  ms,
  approval_id: approvalId,
})
