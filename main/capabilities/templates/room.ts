import { instancesRoom } from '../instances/room.ts'
import { messagesRoom } from '../messages/room.ts'
import { defineRoom } from '../room.ts'
import { templatesContract } from './contract.ts'
import { templatesHandlers } from './handlers.ts'
import { createAttention, type AttentionDeps } from './attention.ts'
import { createTemplates, type TemplatesDeps } from './index.ts'

export const templatesRoom = defineRoom({
  name: 'templates',
  contract: templatesContract,
  uses: { instances: instancesRoom, messages: messagesRoom },
  build(deps: Omit<TemplatesDeps, 'instances' | 'messages'> & AttentionDeps, rooms) {
    const templates = createTemplates({ ...deps, ...rooms })
    return { handlers: templatesHandlers(templates), api: templates, attention: createAttention(deps) }
  },
})
