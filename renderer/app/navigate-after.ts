import type { RouteLocationRaw, Router } from 'vue-router'

/**
 * Runs something, then navigates, unless the person has navigated elsewhere in the meantime, even if that screen is still
 * loading.
 */
export async function navigateAfter(router: Router, act: () => Promise<void>, to: RouteLocationRaw): Promise<void> {
  const left = new AbortController()
  const unsubscribe = router.beforeEach(() => left.abort())
  try {
    await act()
  } finally {
    unsubscribe()
  }
  if (!left.signal.aborted) await router.push(to)
}
