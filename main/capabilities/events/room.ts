import { defineRoom } from '../room.ts'
import { eventsContract } from './contract.ts'
import { eventsHandlers } from './handlers.ts'
import { createEvents, type EventsDeps } from './index.ts'

export const eventsRoom = defineRoom({
  name: 'events',
  contract: eventsContract,
  uses: {},
  build(deps: EventsDeps) {
    const events = createEvents(deps)
    return { handlers: eventsHandlers(events), api: events, chores: [events.retention] }
  },
})
