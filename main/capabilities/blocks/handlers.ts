import type { Handlers } from '../handler.ts'
import type { blocksContract } from './contract.ts'
import type { Blocks } from './index.ts'

export function blocksHandlers(blocks: Blocks): Handlers<typeof blocksContract> {
  return {
    listBlocked: ({ instance, query }) => blocks.list(instance, query),
    async blockPerson({ instance, body: { phone } }) {
      await blocks.set(instance, phone, true)
      return { phone }
    },
    async unblockPerson({ instance, params }) {
      await blocks.set(instance, params.phone, false)
      return undefined
    },
  }
}
