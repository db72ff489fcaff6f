import { computed, ref } from 'vue'
import { changedFields } from '../../app/changed-fields.ts'
import { useSavedForm } from '../../app/saved-form.ts'
import { agentBodyOf, behaviourOf, listMissing } from './agent-form.ts'
import type { Agent } from './store.ts'
import { useSetup } from './use-setup.ts'

export type Behaviour = ReturnType<typeof useBehaviour>

/**
 * An agent's instructions and answers while they are edited. Kept while other tabs are shown, so that they can be
 * tried.
 */
export function useBehaviour(agent: () => Agent) {
  const { saveAgent } = useSetup()
  const isTried = ref(false)
  const saved = useSavedForm(
    () => behaviourOf(agent()),
    async (next) => {
      await saveAgent(agent().id, changedFields(agentBodyOf(behaviourOf(agent())), agentBodyOf(next)))
      isTried.value = false
    },
    {
      isAcrossTabs: true,
      isComplete(next) {
        isTried.value = true
        return listMissing(next).length === 0
      },
    },
  )
  const missing = computed(() => (isTried.value ? listMissing(saved.form.value) : []))
  /** Settings to try instead of the saved ones; undefined if unchanged. */
  const draft = computed(() => {
    if (!saved.isDirty.value) return undefined
    const { name, ...rest } = agentBodyOf(saved.form.value)
    return name === '' ? rest : { name, ...rest }
  })
  return { ...saved, missing, draft }
}
