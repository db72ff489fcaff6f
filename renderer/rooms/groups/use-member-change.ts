import { ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { useCommandProblem } from '../../app/command-problems.ts'
import { usePersonNames } from '../../parts/person-names.ts'
import { notDone, type ChangedGroup } from './group.ts'
import type { GroupChange } from './use-group.ts'

/**
 * Makes a change that concerns one member. If the change fails, the reason is shown in a message that names the
 * member.
 */
export function useMemberChange(change: (body: GroupChange) => Promise<ChangedGroup>) {
  const { t } = useI18n()
  const { showProblem, showWords } = useCommandProblem()
  const names = usePersonNames()
  /** The phone number of the member whose change is running; empty if none is. */
  const busy = ref('')

  /** @returns whether the change was made. */
  async function run(phone: string, body: GroupChange): Promise<boolean> {
    busy.value = phone
    try {
      const [refused] = notDone(await change(body))
      if (refused === undefined) return true
      const text = t(`groups.reason.${refused.reason ?? 'refused'}`)
      showWords({ title: t('problems.title.invalid_state'), text }, names.textOf(phone))
      return false
    } catch (error) {
      showProblem(error, names.textOf(phone))
      return false
    } finally {
      busy.value = ''
    }
  }
  return { busy, run }
}
