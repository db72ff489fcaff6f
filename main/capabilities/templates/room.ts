import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
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
  build(deps: Omit<TemplatesDeps, 'instances' | 'messages'> & AttentionDeps & { readonly db: Db }, rooms) {
    const templates = createTemplates({ ...deps, ...rooms })
    const find = (accountId: AccountId, id: string) => rooms.instances.find({ one: deps.db.readOne }, accountId, id)
    const attention = createAttention({ ...deps, find })
    return { handlers: templatesHandlers(templates), api: templates, attention }
  },
})
