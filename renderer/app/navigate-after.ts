import type { RouteLocationRaw, Router } from 'vue-router'

/**
 * Does something and then goes on to a place. Whoever has set out for somewhere else meanwhile is not fetched back,
 * be the other screen still on its way.
 */
export async function navigateAfter(router: Router, act: () => Promise<void>, to: RouteLocationRaw): Promise<void> {
  const away = new AbortController()
  const forget = router.beforeEach(() => away.abort())
  try {
    await act()
  } finally {
    forget()
  }
  if (!away.signal.aborted) await router.push(to)
}
