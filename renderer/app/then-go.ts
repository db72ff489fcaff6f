import type { RouteLocationRaw, Router } from 'vue-router'

/** Does something and then goes on to a place. Whoever has gone somewhere else meanwhile is not fetched back. */
export async function thenGo(router: Router, act: () => Promise<void>, to: RouteLocationRaw): Promise<void> {
  const from = router.currentRoute.value.path
  await act()
  if (router.currentRoute.value.path === from) await router.push(to)
}
