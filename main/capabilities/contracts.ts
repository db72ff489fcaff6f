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
import { officialSettingsContract } from './official-settings/contract.ts'
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
  {
    room: 'account',
    about: 'The calling key: its account, its scopes and the instances it can access.',
    operations: accountContract,
    topics: ['account', 'keys'],
  },
  {
    room: 'approvals',
    about: 'Assistant calls that need a person’s approval.',
    operations: approvalsContract,
    topics: ['approvals'],
  },
  { room: 'entitlements', operations: entitlementsContract },
  { room: 'usage', operations: usageContract },
  {
    room: 'costs',
    about: 'What messages cost at Meta.',
    operations: costsContract,
    topics: ['message-rates', 'message-budgets'],
  },
  {
    room: 'instances',
    about:
      'Messaging connections. Each uses one of two engines: `smv2`, a phone paired by QR code, or `official`, Meta’s Cloud API.',
    operations: instancesContract,
    topics: ['instances'],
  },
  {
    room: 'fusion',
    about: 'Link an `official` and an `smv2` instance of the same number, so that they act as one contact.',
    operations: fusionContract,
    topics: ['fusion'],
  },
  { room: 'safety', about: 'How much each number may send, and why.', operations: safetyContract },
  {
    room: 'messages',
    about: 'Send messages through an instance and read their status.',
    operations: messagesContract,
    topics: ['messages', 'conversations'],
  },
  {
    room: 'webhooks',
    about:
      'Account webhooks and their delivery log. Events are signed, identical for both engines, and delivered at least once.',
    operations: webhooksContract,
    topics: ['webhooks', 'deliveries'],
  },
  {
    room: 'instance-webhook',
    about: 'Legacy webhook of a single instance: unsigned, at most three attempts. Use account webhooks instead.',
    operations: instanceWebhookContract,
  },
  { room: 'calls', about: 'What happens when somebody calls the number of an instance.', operations: callsContract },
  {
    room: 'contacts',
    about: 'The people that write to your numbers or that you write to.',
    operations: contactsContract,
    topics: ['contacts'],
  },
  {
    room: 'opt-outs',
    about: 'People who want no campaigns and follow-ups. Agents and people still answer them.',
    operations: optOutsContract,
    topics: ['opt-outs'],
  },
  { room: 'history', about: 'Import of messages from before a number was connected.', operations: historyContract },
  { room: 'number-checks', about: 'Checks of which numbers are on WhatsApp.', operations: numberChecksContract },
  {
    room: 'line-settings',
    about: 'How a number connects and sends: pace, presence and proxy.',
    operations: lineSettingsContract,
  },
  {
    room: 'official-settings',
    about: 'Which version of Meta’s API an official number uses, and its username.',
    operations: officialSettingsContract,
  },
  {
    room: 'events',
    about: 'Recorded events, for programs that cannot receive webhooks.',
    operations: eventsContract,
    topics: ['events'],
  },
  {
    room: 'direct',
    about: 'Direct access to an engine, for actions beyond the normalized operations.',
    operations: directContract,
  },
  { room: 'blocks', about: 'Who cannot write to a number.', operations: blocksContract, topics: ['blocked'] },
  {
    room: 'groups',
    about: 'The groups a number is in, and who else is.',
    operations: groupsContract,
    topics: ['groups'],
  },
  {
    room: 'templates',
    about: 'What Meta lets you send to people who have not written lately.',
    operations: templatesContract,
    topics: ['templates'],
  },
  { room: 'overview', operations: overviewContract },
  { room: 'ai', about: 'AI agents that answer chats.', operations: aiContract, topics: ['ai'], feature: 'ai' },
  {
    room: 'ai-providers',
    about: 'API keys of the providers of models.',
    operations: aiProvidersContract,
    feature: 'ai',
  },
  { room: 'ai-knowledge', about: 'What AI agents answer from.', operations: aiKnowledgeContract, feature: 'ai' },
  { room: 'ai-evaluations', about: 'Tests of AI agents.', operations: aiEvaluationsContract, feature: 'ai' },
  {
    room: 'campaigns',
    about: 'Bulk sending with pacing and opt-outs.',
    operations: campaignsContract,
    topics: ['campaigns'],
    feature: 'campaigns',
  },
  {
    room: 'billing',
    about:
      'Plans, purchases and checkout, with a simulated payment provider whose clock can be moved. In `live` mode payments go through the operator’s Stripe account.',
    operations: billingContract,
    topics: ['billing'],
  },
  { room: 'agency', about: 'Sub-accounts, their slots and keys.', operations: agencyContract, topics: ['agency'] },
  {
    room: 'links',
    about: 'White-label links with which customers connect an instance.',
    operations: linksContract,
    topics: ['access-links'],
  },
  { room: 'members', operations: membersContract, topics: ['members'] },
  { room: 'audit', operations: auditContract, topics: ['audit-log'] },
  {
    room: 'crm',
    about: 'Connect instances with GoHighLevel, or with any other CRM by a signed webhook in both directions.',
    operations: crmContract,
    topics: ['crm'],
    feature: 'ghl',
  },
  {
    room: 'voice',
    about: 'Calls, recordings and widgets.',
    operations: voiceContract,
    topics: ['voice'],
    feature: 'voice',
  },
  {
    room: 'sandbox',
    about:
      'A simulated network inside the service: phones that scan codes and send messages, faults on demand, a webhook catcher, and a stand-in for a language model. Phones and faults are only for instances with `network: sandbox`.',
    operations: sandboxContract,
    topics: ['sandbox'],
  },
  {
    room: 'service',
    about: 'The service itself, for its operator.',
    operations: serviceContract,
    topics: ['service', 'tool-calls', 'assistants'],
  },
] as const satisfies readonly RoomContract[]

/** Every room with its operations. */
export const CONTRACTS: readonly RoomContract[] = ROOMS

type Merged<Union> = (Union extends unknown ? (of: Union) => void : never) extends (of: infer All) => void ? All : never

/** All operations by id, with their literal types. The window's client is derived from it. */
export type Operations = Merged<(typeof ROOMS)[number]['operations']>

/** Method and path of every operation. The window's bundle contains only this part of the contracts. */
export type OperationTable = Readonly<Record<keyof Operations, readonly [method: Operation['method'], path: string]>>

export const operationTable = (): OperationTable =>
  Object.fromEntries(
    CONTRACTS.flatMap(({ operations }) => Object.values(operations)).map(({ id, method, path }) => [
      id,
      [method, path],
    ]),
  ) as Record<string, unknown> as OperationTable

const SUMMARIES = new Map(
  CONTRACTS.flatMap(({ operations }) => Object.values(operations)).map(({ id, summary }) => [id, summary]),
)

/** One line about an operation; its id if it no longer exists. */
export const summaryOf = (id: string): string => SUMMARIES.get(id) ?? id
