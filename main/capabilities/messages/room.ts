import { room } from '../room.ts'
import { messagesContract } from './contract.ts'
import type { MessagesDeps } from './deps.ts'
import { messagesHandlers, type ConsentOf } from './handlers.ts'
import { createMessages } from './index.ts'

interface RoomDeps extends MessagesDeps {
  readonly consentOf: ConsentOf
}

export function messagesRoom(deps: RoomDeps) {
  const messages = createMessages(deps)
  return room({
    name: 'messages',
    contract: messagesContract,
    handlers: messagesHandlers(messages, deps.consentOf),
    api: messages,
    recover: messages.recover,
    start: messages.start,
    stop: messages.stop,
  })
}
