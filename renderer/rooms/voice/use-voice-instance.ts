import { computed, ref, watch, type ComputedRef, type Ref } from 'vue'
import type { InstanceRecord } from '../../../main/contract/instance.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { useInstances } from '../instances/store.ts'

interface VoiceInstance {
  readonly instance: ComputedRef<InstanceRecord | undefined>
  readonly problem: Ref<Problem | undefined>
  readonly load: () => Promise<void>
}

/** The number of a screen, from its address. */
export function useVoiceInstance(id: () => string): VoiceInstance {
  const instances = useInstances()
  const problem = ref<Problem>()
  const instance = computed(() => instances.records.get(id()))

  async function load(): Promise<void> {
    problem.value = undefined
    try {
      await instances.read(id())
    } catch (error) {
      problem.value = asProblem(error)
    }
  }
  watch(id, load, { immediate: true })

  return { instance, problem, load }
}
