import { watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useAttention } from '../../parts/use-attention.ts'
import { NO_FILTER, filterOfQuery, isFiltered, queryOfFilter } from './filter.ts'
import { useInstances } from './store.ts'

/**
 * Keeps the filter of the list and the address in sync, so that a link, a reload and the browser's Back button
 * restore the filter. Without a filter in the address, the previous filter is used.
 */
export function useListAddress() {
  const route = useRoute()
  const router = useRouter()
  const instances = useInstances()
  const attention = useAttention()
  const { path } = route
  const inAddress = () => JSON.stringify(queryOfFilter(filterOfQuery(route.query)))

  function read(): void {
    if (route.path !== path || inAddress() === JSON.stringify(queryOfFilter(instances.filter))) return
    instances.filter = filterOfQuery(route.query)
  }
  function write(): void {
    if (route.path !== path || inAddress() === JSON.stringify(queryOfFilter(instances.filter))) return
    void router.replace({ query: { ...route.query, ...queryOfFilter(instances.filter) } })
  }

  if (isFiltered(filterOfQuery(route.query)) || attention.asked.value !== '') read()
  else write()
  watch(() => route.query, read)
  watch(() => instances.filter, write)
  watch(attention.ids, (ids) => (instances.only = ids), { immediate: true })

  return {
    attention,
    clear(): void {
      instances.filter = NO_FILTER
      void router.replace({ query: { ...route.query, ...queryOfFilter(NO_FILTER), attention: undefined } })
    },
  }
}
