import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Item, Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

export type Agent = Item<'listAgents'>
export type Settings = Reply<'getAiSettings'>
export type FollowUp = Reply<'getFollowUp'>
export type ProviderKey = Item<'listProviderKeys'>
export type Summary = Item<'listAiInstances'>

/** A burst of notices causes one read. */
const GATHER_MS = 200
const DAYS = 7

/** Which numbers have an agent, and what the agents of the account did in the last days. */
export const useAgentOverview = defineStore('agent-overview', () => {
  const rows = shallowRef<readonly Summary[]>()
  const usage = shallowRef<Reply<'getAiOverview'>>()
  const problem = ref<Problem>()
  const byInstance = computed(() => new Map((rows.value ?? []).map((row) => [row.instance_id, row])))
  let timer: ReturnType<typeof setTimeout> | undefined

  const live = useLive()
  live.onNotice('ai', () => {
    if (rows.value === undefined) return
    timer ??= setTimeout(() => {
      timer = undefined
      void load()
    }, GATHER_MS)
  })
  live.onReset(() => void (rows.value !== undefined && load()))

  async function load(): Promise<void> {
    try {
      const [list, numbers] = await Promise.all([
        call('listAiInstances'),
        call('getAiOverview', { query: { days: DAYS } }),
      ])
      rows.value = list.data
      usage.value = numbers
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  return { rows, byInstance, usage, problem, load }
})
