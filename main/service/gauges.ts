import type { FindRoom } from '../capabilities/compose-rooms.ts'
import { instanceWebhookRoom } from '../capabilities/instance-webhook/room.ts'
import type { Gauges } from '../capabilities/instances/index.ts'
import { messagesRoom } from '../capabilities/messages/room.ts'
import { webhooksRoom } from '../capabilities/webhooks/room.ts'

/** Values in an instance's record that come from rooms built later. */
export const gaugesOf = (find: FindRoom): Gauges => ({
  queue: (id) => find(messagesRoom).gauges(id),
  webhooks: (id) => find(webhooksRoom).gauges(id),
  failingOwnCalls: (id) => find(instanceWebhookRoom).failing(id),
  lastMessageAtMs: (id) => find(messagesRoom).lastMessageAtMs(id),
})
