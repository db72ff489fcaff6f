import { NUMBER, USER_ID } from '../../contract/addresses.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { DirectActs } from '../../engines/direct.ts'
import type { Engine } from '../../engines/engine.ts'
import type { Cursors } from '../../kernel/page.ts'
import { createEngineCalls, notSupported, requireAddress, requireConnected } from '../engine-call.ts'
import type { InstanceSubject } from '../handler.ts'
import type { BlockedPerson, BlockedQuery } from './contract.ts'

interface BlockedList {
  readonly data: BlockedPerson[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

/**
 * Each function throws ApiError not_ready for an instance that is not connected, engine_mismatch, and errors of the
 * network.
 */
export interface Blocks {
  list(instance: InstanceSubject, query: BlockedQuery): Promise<BlockedList>
  set(instance: InstanceSubject, phone: string, isBlocked: boolean): Promise<void>
}

export type BlocksDeps = Parameters<typeof createEngineCalls>[0] & {
  readonly cursors: Cursors
  readonly instances: { engineFor(subject: InstanceSubject): Engine }
}

const PERSON = new RegExp(`^(?:${NUMBER}|${USER_ID})$`)

/** Blocked people of a number. The network keeps the list, so nothing is stored here. */
export function createBlocks({ cursors, instances, ...deps }: BlocksDeps): Blocks {
  const callEngine = createEngineCalls(deps)

  function actOf<K extends 'block' | 'blocked'>(instance: InstanceSubject, name: K): DirectActs[K] {
    requireConnected(instance)
    const act = instances.engineFor(instance).direct?.[name]
    if (act === undefined) throw notSupported()
    return act
  }

  return {
    async list(instance, { limit = LIMITS.pageSizeDefault, cursor }) {
      const name = `blocked ${instance.id}`
      const [from = null] = cursor === undefined ? [] : cursors.decode(name, cursor)
      const blocked = actOf(instance, 'blocked')
      const page = { limit, after: from === null ? null : String(from) }
      const { people, after } = await callEngine(instance, () => blocked(instance, page))
      const next = after === null ? null : cursors.encode(name, [after])
      return { data: people.map((phone) => ({ phone })), next_cursor: next, has_more: next !== null }
    },

    async set(instance, phone, isBlocked) {
      if (!PERSON.test(phone))
        throw new ApiError(
          'validation_error',
          'phone must be a number of 7 to 15 digits, or a hidden id of the list.',
        ).because('not_phone', { field: 'phone' })
      requireAddress(instance, phone, 'phone')
      const block = actOf(instance, 'block')
      await callEngine(instance, () => block(instance, phone, isBlocked))
    },
  }
}
