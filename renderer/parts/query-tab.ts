import { computed, type WritableComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/** The selected tab, stored as `?tab=` in the URL. The first tab has a URL without it. */
export function useQueryTab(tabs: () => readonly { readonly value: string }[]): WritableComputedRef<string> {
  const route = useRoute()
  const router = useRouter()
  return computed({
    get: () => (tabs().find(({ value }) => value === route.query.tab) ?? tabs()[0])?.value ?? '',
    set(value) {
      const { tab: _, ...rest } = route.query
      void router.replace({ query: value === tabs()[0]?.value ? rest : { ...rest, tab: value } })
    },
  })
}
