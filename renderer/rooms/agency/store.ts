import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Body, Item, Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { PAGE, usePagedList } from '../contacts/paged-list.ts'

export type Client = Item<'listClients'>
export type SubAccount = Reply<'getSubAccount'>

/** The clients of the agency, and its pool of slots. */
export const useClients = defineStore('clients', () => {
  const text = ref('')
  const status = ref<'active' | 'suspended'>()
  const agency = shallowRef<Reply<'getAgency'>>()
  const problem = ref<Problem>()
  const list = usePagedList<Client>((cursor) =>
    call('listClients', {
      query: { q: text.value.trim() || undefined, status: status.value, limit: PAGE, cursor },
    }),
  )
  const live = useLive()
  live.onNotice(['agency', 'instances'], () => void (list.refresh(), readAgency()))
  live.onReset(() => void list.refresh())

  async function readAgency(): Promise<void> {
    try {
      agency.value = await call('getAgency')
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
  }
  async function load(): Promise<void> {
    await Promise.all([list.load(), readAgency()])
  }

  /** @throws Problem */
  async function create(body: Body<'createSubAccount'>, idempotencyKey: string): Promise<SubAccount> {
    const made = await call('createSubAccount', { body, idempotencyKey })
    await load()
    return made
  }

  return { text, status, agency, ...list, agencyProblem: problem, load, create }
})
