import { computed, onMounted, type ComputedRef } from 'vue'
import { useNowEvery } from '../../parts/now.ts'
import { isOpen } from './approval.ts'
import { useAssistants } from './store.ts'

/** Number of pending approvals: the badge of “Assistants” in the sidebar. */
export function usePendingApprovals(): ComputedRef<number> {
  const store = useAssistants()
  const now = useNowEvery(1_000)
  onMounted(() => store.loadApprovals())
  return computed(() => store.pending.filter((record) => isOpen(record, now.value.getTime())).length)
}
