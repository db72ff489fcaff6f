import { computed, ref, shallowRef, watch } from 'vue'
import { TRAITS } from '../../../main/contract/engine-traits.ts'
import type { InstanceRecord } from '../../../main/contract/instance.ts'
import { call } from '../../app/api.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import type { Template } from './template.ts'

const PAGE = 200

/** The approved templates of the first connected official number that sends. */
export function useTemplates(senders: () => readonly InstanceRecord[]) {
  const list = shallowRef<readonly Template[]>([])
  const problem = ref<Problem>()
  const isLoaded = ref(false)
  const owner = computed(
    () => senders().find(({ engine, connected }) => TRAITS[engine].needsTemplates && connected)?.id,
  )

  async function load(): Promise<void> {
    const id = owner.value
    isLoaded.value = false
    if (id === undefined) return void (list.value = [])
    try {
      const { data } = await call('listTemplates', { params: { id }, query: { limit: PAGE } })
      if (id !== owner.value) return
      list.value = data.filter(({ status }) => status === 'APPROVED')
      problem.value = undefined
      isLoaded.value = true
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  watch(owner, () => void load(), { immediate: true })
  return { list, problem, isLoaded, owner, load }
}

export type Templates = ReturnType<typeof useTemplates>
