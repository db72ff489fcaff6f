import type { Handlers } from '../handler.ts'
import type { eventsContract } from './contract.ts'
import type { Events } from './index.ts'

export function eventsHandlers(events: Events): Handlers<typeof eventsContract> {
  return {
    listEvents: ({ principal, query }) => events.list(principal.accountId, query),
    getEvent: ({ principal, params }) => events.get(principal.accountId, params.event_id),
  }
}
