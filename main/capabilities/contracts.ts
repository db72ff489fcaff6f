import type { RoomContract } from '../contract/operation.ts'
import { accountContract } from './account/contract.ts'
import { approvalsContract } from './approvals/contract.ts'
import { fusionContract } from './fusion/contract.ts'
import { directContract } from './direct/contract.ts'
import { eventsContract } from './events/contract.ts'
import { instanceWebhookContract } from './instance-webhook/contract.ts'
import { instancesContract } from './instances/contract.ts'
import { messagesContract } from './messages/contract.ts'
import { overviewContract } from './overview/contract.ts'
import { sandboxContract } from './sandbox/contract.ts'
import { serviceContract } from './service/contract.ts'
import { webhooksContract } from './webhooks/contract.ts'

/** The product's table of contents: every room and its operations. */
export const CONTRACTS: readonly RoomContract[] = [
  { room: 'account', operations: accountContract },
  { room: 'approvals', operations: approvalsContract },
  { room: 'instances', operations: instancesContract },
  { room: 'fusion', operations: fusionContract },
  { room: 'messages', operations: messagesContract },
  { room: 'webhooks', operations: webhooksContract },
  { room: 'instance-webhook', operations: instanceWebhookContract },
  { room: 'events', operations: eventsContract },
  { room: 'direct', operations: directContract },
  { room: 'overview', operations: overviewContract },
  { room: 'sandbox', operations: sandboxContract },
  { room: 'service', operations: serviceContract },
]
