import { defineStore } from 'pinia'
import { ref } from 'vue'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import type { Template } from '../campaigns/template.ts'

const PAGE = 200

interface Loaded {
  readonly list: readonly Template[]
  readonly problem: Problem | undefined
  readonly isLoading: boolean
}
const NOTHING: Loaded = { list: [], problem: undefined, isLoading: true }

/** The templates of the numbers whose chats were opened in this window. */
export const useChatTemplates = defineStore('chat-templates', () => {
  const loaded = ref(new Map<string, Loaded>())

  async function load(instanceId: string): Promise<void> {
    const before = loaded.value.get(instanceId) ?? NOTHING
    loaded.value.set(instanceId, { ...before, isLoading: true })
    try {
      const { data } = await call('listTemplates', { params: { id: instanceId }, query: { limit: PAGE } })
      loaded.value.set(instanceId, { list: data, problem: undefined, isLoading: false })
    } catch (error) {
      loaded.value.set(instanceId, { ...before, problem: asProblem(error), isLoading: false })
    }
  }

  // Templates are changed by Meta, by colleagues or by other programs.
  useLive().onNotice('templates', ({ instance_id: id }) => {
    for (const known of loaded.value.keys()) if (id === undefined || id === known) void load(known)
  })

  return {
    of: (instanceId: string): Loaded => loaded.value.get(instanceId) ?? NOTHING,
    load,
    /** Loads the templates unless they were loaded before. */
    need: (instanceId: string) => void (loaded.value.has(instanceId) || load(instanceId)),
  }
})
