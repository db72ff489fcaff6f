import type { RouteLocationRaw, Router } from 'vue-router'

/**
 * Does something and then goes on to a place. Whoever has set out for somewhere else meanwhile is not fetched back,
 * be the other screen still on its way.
 */
export async function thenGo(router: Router, act: () => Promise<void>, to: RouteLocationRaw): Promise<void> {
  let setOut = false
  const forget = router.beforeEach(() => {
    setOut = true
  })
  try {
    await act()
  } finally {
    forget()
  }
  if (!setOut) await router.push(to)
}
