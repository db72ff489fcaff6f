import { onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import type { DeliveriesQuery, Delivery } from '../../../main/capabilities/webhooks/contract.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { appended, refreshed } from './delivery-pages.ts'
import { useWebhooks } from './store.ts'

export type LogFilter = Omit<DeliveriesQuery, 'cursor' | 'limit'>

const PAGE = 100

/** The deliveries, newest first, loaded page by page. They are kept up to date while they are on screen. */
export function useDeliveryLog(filter: Ref<LogFilter>) {
  const store = useWebhooks()
  const live = useLive()
  const rows = shallowRef<Delivery[]>([])
  const state = ref<'asking' | 'ready' | 'problem'>('asking')
  const problem = ref<Problem>()
  const hasMore = ref(false)
  const isLoadingMore = ref(false)
  let cursor: string | null = null
  /** Increases with every load, so that answers to earlier requests are ignored. */
  let round = 0
  let isRefreshing = false
  let isStale = false

  const isAsking = () => state.value === 'asking'

  async function load(): Promise<void> {
    const mine = ++round
    state.value = 'asking'
    problem.value = undefined
    await ask(mine, undefined, (data) => (rows.value = data))
    if (isStale && mine === round) await refresh()
  }

  /** Clears the rows first: rows of the previous filter must not be shown as the result of the new one. */
  async function change(): Promise<void> {
    rows.value = []
    hasMore.value = false
    await load()
  }

  async function loadMore(): Promise<void> {
    if (!hasMore.value || isLoadingMore.value || cursor === null) return
    isLoadingMore.value = true
    await ask(round, cursor, (data) => (rows.value = appended(rows.value, data)))
    isLoadingMore.value = false
  }

  async function ask(mine: number, at: string | undefined, use: (data: Delivery[]) => void): Promise<void> {
    try {
      const page = await store.listDeliveries({ ...filter.value, limit: PAGE, ...(at !== undefined && { cursor: at }) })
      if (mine !== round) return
      use(page.data)
      cursor = page.next_cursor
      hasMore.value = page.has_more
      problem.value = undefined
      state.value = 'ready'
    } catch (error) {
      if (mine !== round) return
      problem.value = asProblem(error)
      state.value = 'problem'
    }
  }

  /** Makes one request at a time. Any number of notices during a request cause one further request. */
  async function refresh(): Promise<void> {
    isStale = true
    if (isRefreshing || isAsking()) return
    isRefreshing = true
    while (isStale && !isAsking()) {
      isStale = false
      await refreshOnce(round)
    }
    isRefreshing = false
  }

  async function refreshOnce(mine: number): Promise<void> {
    const page = await store.listDeliveries({ ...filter.value, limit: PAGE }).catch(() => undefined)
    if (page === undefined || mine !== round) return
    const merged = refreshed(rows.value, page.data, page.has_more)
    if (merged === undefined || merged.length === page.data.length) {
      cursor = page.next_cursor
      hasMore.value = page.has_more
    }
    rows.value = merged ?? page.data
    problem.value = undefined
    state.value = 'ready'
  }

  const replace = (delivery: Delivery) =>
    (rows.value = rows.value.map((row) => (row.id === delivery.id ? { ...row, ...delivery } : row)))

  watch(filter, () => void change(), { immediate: true, deep: true })
  onScopeDispose(live.onNotice('deliveries', () => void refresh()))
  onScopeDispose(live.onReset(() => void load()))

  return { rows, state, problem, hasMore, isLoadingMore, load, loadMore, refresh, replace }
}
