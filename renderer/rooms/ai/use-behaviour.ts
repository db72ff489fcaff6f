import { computed, ref } from 'vue'
import { changedFields } from '../../app/changed-fields.ts'
import { useSavedForm } from '../../app/saved-form.ts'
import { agentBodyOf, behaviourOf, listMissing } from './agent-form.ts'
import type { Agent } from './store.ts'
import { useSetup } from './use-setup.ts'

export type Behaviour = ReturnType<typeof useBehaviour>

/** Who an agent is and how it answers, as it is being edited. It stays while other tabs are shown, so it can be tried. */
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
  /** What to try in place of the saved settings; undefined while nothing was changed. */
  const draft = computed(() => {
    if (!saved.isDirty.value) return undefined
    const { name, ...rest } = agentBodyOf(saved.form.value)
    return name === '' ? rest : { name, ...rest }
  })
  return { ...saved, missing, draft }
}
