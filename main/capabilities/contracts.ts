import type { Operation, RoomContract } from '../contract/operation.ts'
import { accountContract } from './account/contract.ts'
import { aiContract } from './ai/contract.ts'
import { aiEvaluationsContract } from './ai-evaluations/contract.ts'
import { aiKnowledgeContract } from './ai-knowledge/contract.ts'
import { aiProvidersContract } from './ai-providers/contract.ts'
import { agencyContract } from './agency/contract.ts'
import { approvalsContract } from './approvals/contract.ts'
import { auditContract } from './audit/contract.ts'
import { blocksContract } from './blocks/contract.ts'
import { billingContract } from './billing/contract.ts'
import { callsContract } from './calls/contract.ts'
import { contactsContract } from './contacts/contract.ts'
import { campaignsContract } from './campaigns/contract.ts'
import { fusionContract } from './fusion/contract.ts'
import { costsContract } from './costs/contract.ts'
import { crmContract } from './crm/contract.ts'
import { directContract } from './direct/contract.ts'
import { entitlementsContract } from './entitlements/contract.ts'
import { eventsContract } from './events/contract.ts'
import { groupsContract } from './groups/contract.ts'
import { historyContract } from './history/contract.ts'
import { instanceWebhookContract } from './instance-webhook/contract.ts'
import { instancesContract } from './instances/contract.ts'
import { lineSettingsContract } from './line-settings/contract.ts'
import { linksContract } from './links/contract.ts'
import { membersContract } from './members/contract.ts'
import { messagesContract } from './messages/contract.ts'
import { numberChecksContract } from './number-checks/contract.ts'
import { optOutsContract } from './opt-outs/contract.ts'
import { overviewContract } from './overview/contract.ts'
import { safetyContract } from './safety/contract.ts'
import { sandboxContract } from './sandbox/contract.ts'
import { serviceContract } from './service/contract.ts'
import { templatesContract } from './templates/contract.ts'
import { usageContract } from './usage/contract.ts'
import { voiceContract } from './voice/contract.ts'
import { webhooksContract } from './webhooks/contract.ts'

const ROOMS = [
  { room: 'account', operations: accountContract, topics: ['account', 'keys'] },
  { room: 'approvals', operations: approvalsContract, topics: ['approvals'] },
  { room: 'entitlements', operations: entitlementsContract },
  { room: 'usage', operations: usageContract },
  { room: 'costs', operations: costsContract, topics: ['message-rates', 'message-budgets'] },
  { room: 'instances', operations: instancesContract, topics: ['instances'] },
  { room: 'fusion', operations: fusionContract, topics: ['fusion'] },
  { room: 'safety', operations: safetyContract },
  { room: 'messages', operations: messagesContract, topics: ['messages', 'conversations'] },
  { room: 'webhooks', operations: webhooksContract, topics: ['webhooks', 'deliveries'] },
  { room: 'instance-webhook', operations: instanceWebhookContract },
  { room: 'calls', operations: callsContract },
  { room: 'contacts', operations: contactsContract, topics: ['contacts'] },
  { room: 'opt-outs', operations: optOutsContract, topics: ['opt-outs'] },
  { room: 'history', operations: historyContract },
  { room: 'number-checks', operations: numberChecksContract },
  { room: 'line-settings', operations: lineSettingsContract },
  { room: 'events', operations: eventsContract, topics: ['events'] },
  { room: 'direct', operations: directContract },
  { room: 'blocks', operations: blocksContract, topics: ['blocked'] },
  { room: 'groups', operations: groupsContract, topics: ['groups'] },
  { room: 'templates', operations: templatesContract, topics: ['templates'] },
  { room: 'overview', operations: overviewContract },
  { room: 'ai', operations: aiContract, topics: ['ai'], feature: 'ai' },
  { room: 'ai-providers', operations: aiProvidersContract, feature: 'ai' },
  { room: 'ai-knowledge', operations: aiKnowledgeContract, feature: 'ai' },
  { room: 'ai-evaluations', operations: aiEvaluationsContract, feature: 'ai' },
  { room: 'campaigns', operations: campaignsContract, topics: ['campaigns'], feature: 'campaigns' },
  { room: 'billing', operations: billingContract, topics: ['billing'] },
  { room: 'agency', operations: agencyContract, topics: ['agency'] },
  { room: 'links', operations: linksContract, topics: ['access-links'] },
  { room: 'members', operations: membersContract, topics: ['members'] },
  { room: 'audit', operations: auditContract, topics: ['audit-log'] },
  { room: 'crm', operations: crmContract, topics: ['crm'], feature: 'ghl' },
  { room: 'voice', operations: voiceContract, topics: ['voice'], feature: 'voice' },
  { room: 'sandbox', operations: sandboxContract, topics: ['sandbox'] },
  { room: 'service', operations: serviceContract, topics: ['service', 'tool-calls', 'assistants'] },
] as const satisfies readonly RoomContract[]

/** The product's table of contents: every room and its operations. */
export const CONTRACTS: readonly RoomContract[] = ROOMS

type Merged<Union> = (Union extends unknown ? (of: Union) => void : never) extends (of: infer All) => void ? All : never

/** All operations by id, with their literal types. The window's client is derived from it. */
export type Operations = Merged<(typeof ROOMS)[number]['operations']>

/** Method and path of every operation: all of the contracts that the window's bundle carries. */
export type OperationTable = Readonly<Record<keyof Operations, readonly [method: Operation['method'], path: string]>>

export const operationTable = (): OperationTable =>
  Object.fromEntries(
    CONTRACTS.flatMap(({ operations }) => Object.values(operations)).map(({ id, method, path }) => [
      id,
      [method, path],
    ]),
  ) as Record<string, unknown> as OperationTable
