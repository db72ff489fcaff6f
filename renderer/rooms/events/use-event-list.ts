import { useThrottleFn } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import type { Event } from '../../../main/capabilities/events/contract.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { concerns, queryOf, type EventFilter } from './event-filter.ts'
import { withNewest, withOlder } from './event-pages.ts'

const PAGE = 100
/** A busy workspace records many events per second. */
const REFRESH_EVERY_MS = 1_000

/**
 * The events, newest first, loaded page by page. New events are added at the top.
 * @param isHeld while the person reads further down, new events are held back so that the list does not move.
 */
export function useEventList(filter: Ref<EventFilter>, isHeld: Ref<boolean>) {
  const live = useLive()
  const rows = shallowRef<readonly Event[]>([])
  const problem = ref<Problem>()
  const isLoaded = ref(false)
  const hasNew = ref(false)
  const cursor = ref<string | null>(null)
  let isLoadingMore = false
  /** Increases with every load, so that answers to earlier requests are ignored. */
  let round = 0
  let asked = queryOf(filter.value, Date.now())

  const read = (from?: string) => call('listEvents', { query: { ...asked, limit: PAGE, cursor: from } })

  async function load(): Promise<void> {
    const mine = ++round
    asked = queryOf(filter.value, Date.now())
    try {
      const page = await read()
      if (mine !== round) return
      rows.value = page.data
      cursor.value = page.next_cursor
      problem.value = undefined
      hasNew.value = false
    } catch (error) {
      if (mine === round) problem.value = asProblem(error)
    } finally {
      if (mine === round) isLoaded.value = true
    }
  }

  async function loadMore(): Promise<void> {
    if (cursor.value === null || isLoadingMore) return
    const mine = round
    isLoadingMore = true
    try {
      const page = await read(cursor.value)
      if (mine !== round) return
      rows.value = withOlder(rows.value, page.data)
      cursor.value = page.next_cursor
    } catch (error) {
      if (mine === round) problem.value = asProblem(error)
    } finally {
      isLoadingMore = false
    }
  }

  async function refresh(): Promise<void> {
    if (isHeld.value) {
      hasNew.value = true
      return
    }
    const mine = round
    const page = await read().catch(() => undefined)
    if (page === undefined || mine !== round) return
    const merged = withNewest(rows.value, page.data, page.has_more)
    if (merged === undefined || rows.value.length === 0) cursor.value = page.next_cursor
    rows.value = merged ?? page.data
    hasNew.value = false
    problem.value = undefined
  }
  const refreshSoon = useThrottleFn(refresh, REFRESH_EVERY_MS, true)

  async function change(): Promise<void> {
    rows.value = []
    isLoaded.value = false
    await load()
  }

  watch(filter, () => void change(), { immediate: true })
  watch(isHeld, (held) => !held && hasNew.value && void refresh())
  onScopeDispose(live.onNotice('events', (notice) => concerns(filter.value, notice) && void refreshSoon()))
  onScopeDispose(live.onReset(() => void refresh()))

  return { rows, problem, isLoaded, hasNew, hasMore: computed(() => cursor.value !== null), load, loadMore }
}
