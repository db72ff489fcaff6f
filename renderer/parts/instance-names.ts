import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { InstanceRecord, PlainList } from '../../main/contract/instance.ts'
import { api } from '../app/api.ts'
import { useLive } from '../app/live.ts'
import { asProblem, type Problem } from '../app/problem.ts'

/** The instances as things to choose from, for rooms that are about something else. */
export const useInstanceNames = defineStore('instance-names', () => {
  // Shallow: ten thousand records are replaced, never changed.
  const records = shallowRef<InstanceRecord[]>()
  const problem = ref<Problem>()
  const live = useLive()
  let isStale = false
  let running: Promise<void> | undefined
  live.onNotice('instances', () => void refresh())
  live.onReset(() => void refresh())

  const byId = computed<ReadonlyMap<string, string>>(
    () => new Map(records.value?.map(({ id, name }) => [id, name]) ?? []),
  )
  const choices = computed(() => records.value?.map(({ id, name }) => ({ label: name, value: id })) ?? [])

  async function load(): Promise<void> {
    running ??= loadAll().finally(() => (running = undefined))
    await running
    if (isStale) {
      isStale = false
      await load()
    }
  }

  async function loadAll(): Promise<void> {
    const all: InstanceRecord[] = []
    try {
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page: PlainList = await api.get('/instances', { query: { cursor } })
        all.push(...page.data)
        cursor = page.next_cursor ?? null
      }
      records.value = all
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  async function refresh(): Promise<void> {
    if (running !== undefined) isStale = true
    else if (records.value !== undefined) await load()
  }

  return { records, problem, byId, choices, load }
})
