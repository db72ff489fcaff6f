import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

/** A burst of notices causes one read. */
const GATHER_MS = 200

/** The voice state of every number in the account. */
export const useVoiceNumbers = defineStore('voice-numbers', () => {
  const overview = shallowRef<Reply<'listVoiceInstances'>>()
  const problem = ref<Problem>()
  const byInstance = computed(() => new Map((overview.value?.data ?? []).map((row) => [row.instance_id, row])))
  let timer: ReturnType<typeof setTimeout> | undefined

  const live = useLive()
  live.onNotice('voice', () => {
    if (overview.value === undefined) return
    timer ??= setTimeout(() => {
      timer = undefined
      void load()
    }, GATHER_MS)
  })
  live.onReset(() => void (overview.value !== undefined && load()))

  async function load(): Promise<void> {
    try {
      overview.value = await call('listVoiceInstances')
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  /** @throws Problem */
  async function enable(id: string): Promise<void> {
    await call('enableVoice', { params: { id } })
    await load()
  }

  return { overview, byInstance, problem, load, enable }
})
