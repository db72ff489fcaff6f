import { onScopeDispose } from 'vue'
import { useLive } from '../../app/live.ts'
import { usePagedList } from '../contacts/paged-list.ts'

/** A list that is reloaded when billing changes. */
export function useBillingList<Row>(read: Parameters<typeof usePagedList<Row>>[0]) {
  const list = usePagedList<Row>(read)
  const live = useLive()
  const unsubscribe = [live.onNotice('billing', () => void list.refresh()), live.onReset(() => void list.refresh())]
  onScopeDispose(() => unsubscribe.forEach((stop) => stop()))
  void list.load()
  return list
}
