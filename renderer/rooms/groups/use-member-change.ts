import { useToast } from '@nuxt/ui/composables'
import { ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { useProblemToast } from '../../app/problem-toast.ts'
import { notDone, type ChangedGroup } from './group.ts'
import type { GroupChange } from './use-group.ts'

/** Changes what concerns one person of a group; a toast says why it was not done. */
export function useMemberChange(change: (body: GroupChange) => Promise<ChangedGroup>) {
  const { t } = useI18n()
  const toast = useToast()
  const showProblem = useProblemToast()
  /** Whom the change that runs is about. */
  const busy = ref('')

  /** @returns whether it was done. */
  async function run(phone: string, body: GroupChange): Promise<boolean> {
    busy.value = phone
    try {
      const [refused] = notDone(await change(body))
      if (refused === undefined) return true
      const title = t(`groups.reason.${refused.reason ?? 'refused'}`)
      toast.add({ title, icon: 'i-lucide-triangle-alert', color: 'warning' })
      return false
    } catch (error) {
      showProblem(error)
      return false
    } finally {
      busy.value = ''
    }
  }
  return { busy, run }
}
