import { answerOfCreated, type Handlers } from '../handler.ts'
import type { groupsContract } from './contract.ts'
import type { Groups } from './index.ts'

export function groupsHandlers(groups: Groups): Handlers<typeof groupsContract> {
  return {
    listGroupChats: ({ instance, query }) => groups.list(instance, query),
    createGroupChat: async ({ instance, body, rawBody, idempotencyKey }) =>
      answerOfCreated(await groups.create(instance, { body, rawBody, idempotencyKey })),
    getGroupChat: ({ instance, params, query }) => groups.read(instance, params.group, query),
    updateGroupChat: ({ instance, params, body }) => groups.change(instance, params.group, body),
    async deleteGroupChat({ instance, params }) {
      await groups.leave(instance, params.group)
      return undefined
    },
  }
}
