import { computed, watch, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useAccess } from '../app/access.ts'
import { useProblemText } from '../app/use-problem-text.ts'
import { useInstances } from '../rooms/instances/store.ts'

/** @returns why the account cannot have another number; undefined if it can. */
export function useSlotText(): ComputedRef<string | undefined> {
  const { t } = useI18n()
  const access = useAccess()
  const instances = useInstances()
  const textOf = useProblemText()
  // Each number uses a slot until it is deleted.
  watch(
    () => instances.all.length,
    () => void access.load(),
  )
  return computed(() => {
    if (access.hasNoSlots) return t('instances.empty.noSlots')
    return access.isFull ? textOf({ code: 'no_free_slot' }).text : undefined
  })
}
