import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { Key } from '../../../main/capabilities/account/contract.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Body, Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

const PAGE = 200

/** The account's keys without their values. A value is only in the answer that created the key. */
export const useKeys = defineStore('keys', () => {
  const keys = ref<Key[]>()
  const problem = ref<Problem>()
  const live = useLive()
  live.onNotice('keys', () => void refresh())
  live.onReset(() => void refresh())

  async function load(): Promise<void> {
    try {
      const all: Key[] = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page: Reply<'listApiKeys'> = await call('listApiKeys', { query: { limit: PAGE, cursor } })
        all.push(...page.data)
        cursor = page.next_cursor
      }
      keys.value = all
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  /** Loads the list again if it has been loaded before. */
  async function refresh(): Promise<void> {
    if (keys.value !== undefined) await load()
  }

  /** @returns the value of the key, which the store does not keep. @throws Problem */
  async function create(body: Body<'createApiKey'>): Promise<Reply<'createApiKey'>> {
    const made = await call('createApiKey', { body })
    await refresh()
    return made
  }

  /** @param endsCreated also revokes the links and keys that were created with this key. @throws Problem */
  async function revoke(id: string, endsCreated: boolean): Promise<void> {
    await call('revokeApiKey', { params: { id }, query: { created: endsCreated ? 'revoke' : 'keep' } })
    await refresh()
  }

  return { keys, problem, load, create, revoke }
})
