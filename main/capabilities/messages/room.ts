import { room } from '../room.ts'
import { messagesContract } from './contract.ts'
import type { MessagesDeps } from './deps.ts'
import { messagesHandlers } from './handlers.ts'
import { createMessages } from './index.ts'

export function messagesRoom(deps: MessagesDeps) {
  const messages = createMessages(deps)
  return room({
    name: 'messages',
    contract: messagesContract,
    handlers: messagesHandlers(messages),
    api: messages,
    recover: messages.recover,
    start: messages.start,
    stop: messages.stop,
  })
}
