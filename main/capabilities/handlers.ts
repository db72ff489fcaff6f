import type { Contract } from '../contract/operation.ts'
import type { Cursors } from '../kernel/page.ts'
import { accountContract } from './account/contract.ts'
import { accountHandlers } from './account/handlers.ts'
import type { Accounts } from './account/index.ts'
import { approvalsContract } from './approvals/contract.ts'
import { approvalsHandlers } from './approvals/handlers.ts'
import type { Approvals } from './approvals/index.ts'
import { fusionContract } from './fusion/contract.ts'
import { fusionHandlers } from './fusion/handlers.ts'
import type { Fusion } from './fusion/index.ts'
import { directContract } from './direct/contract.ts'
import { directExistence, directHandlers } from './direct/handlers.ts'
import type { Direct } from './direct/index.ts'
import { eventsContract } from './events/contract.ts'
import { eventsHandlers } from './events/handlers.ts'
import type { Events } from './events/index.ts'
import type { Existence, Handler, Handlers, ServedOperation } from './handler.ts'
import { instanceWebhookContract } from './instance-webhook/contract.ts'
import { instanceWebhookHandlers } from './instance-webhook/handlers.ts'
import type { InstanceWebhooks } from './instance-webhook/index.ts'
import { instancesContract } from './instances/contract.ts'
import { instancesHandlers } from './instances/handlers.ts'
import type { Instances } from './instances/index.ts'
import { messagesContract } from './messages/contract.ts'
import { messagesHandlers } from './messages/handlers.ts'
import type { Messages } from './messages/index.ts'
import { sandboxContract } from './sandbox/contract.ts'
import { sandboxExistence, sandboxHandlers } from './sandbox/handlers.ts'
import type { Sandbox } from './sandbox/index.ts'
import { serviceContract } from './service/contract.ts'
import { serviceHandlers } from './service/handlers.ts'
import type { ServiceRoom } from './service/index.ts'
import { webhooksContract } from './webhooks/contract.ts'
import { webhooksExistence, webhooksHandlers } from './webhooks/handlers.ts'
import type { Webhooks } from './webhooks/index.ts'

export interface Rooms {
  readonly accounts: Accounts
  readonly cursors: Cursors
  readonly approvals: Approvals
  readonly instances: Instances
  readonly fusion: Fusion
  readonly messages: Messages
  readonly webhooks: Webhooks
  readonly instanceWebhooks: InstanceWebhooks
  readonly events: Events
  readonly direct: Direct
  readonly sandbox: Sandbox
  readonly service: ServiceRoom
}

/** Every operation with what carries it out; the door serves exactly these. */
export function servedOperations(rooms: Rooms): ServedOperation[] {
  return [
    ...pair(accountContract, accountHandlers(rooms.accounts, rooms.cursors)),
    ...pair(approvalsContract, approvalsHandlers(rooms.approvals, rooms.cursors)),
    ...pair(instancesContract, instancesHandlers(rooms.instances)),
    ...pair(fusionContract, fusionHandlers(rooms.fusion)),
    ...pair(messagesContract, messagesHandlers(rooms.messages)),
    ...pair(webhooksContract, webhooksHandlers(rooms.webhooks), webhooksExistence(rooms.webhooks)),
    ...pair(instanceWebhookContract, instanceWebhookHandlers(rooms.instanceWebhooks)),
    ...pair(eventsContract, eventsHandlers(rooms.events)),
    ...pair(directContract, directHandlers(rooms.direct), directExistence(rooms.direct)),
    ...pair(sandboxContract, sandboxHandlers(rooms.sandbox), sandboxExistence(rooms.sandbox)),
    ...pair(serviceContract, serviceHandlers(rooms.service)),
  ]
}

function pair<C extends Contract>(contract: C, handlers: Handlers<C>, existence: Existence<C> = {}): ServedOperation[] {
  return Object.entries(contract).map(([name, operation]) => {
    // Both have only names of C, and each entry was checked against its own operation when it was written.
    return { operation, handler: handlers[name] as Handler, exists: existence[name] }
  })
}
