import { room } from '../room.ts'
import { eventsContract } from './contract.ts'
import { eventsHandlers } from './handlers.ts'
import { createEvents, type EventsDeps } from './index.ts'

export function eventsRoom(deps: EventsDeps) {
  const events = createEvents(deps)
  return room({
    name: 'events',
    contract: eventsContract,
    handlers: eventsHandlers(events),
    api: events,
    chores: [events.retention],
  })
}
