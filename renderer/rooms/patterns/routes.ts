import type { RouteRecordRaw } from 'vue-router'

/** Only where the window is developed: the build drops it. */
const routes: readonly RouteRecordRaw[] =
  import.meta.env.MODE === 'development'
    ? [
        { path: '/patterns', component: () => import('./PatternsScreen.vue') },
        { path: '/patterns/import', component: () => import('./ImportPattern.vue') },
      ]
    : []
export default routes
