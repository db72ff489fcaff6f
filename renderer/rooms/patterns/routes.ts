import type { RouteRecordRaw } from 'vue-router'

/** Only in development; the production build leaves these routes out. */
const routes: readonly RouteRecordRaw[] =
  import.meta.env.MODE === 'development'
    ? [
        { path: '/patterns', component: () => import('./PatternsScreen.vue') },
        { path: '/patterns/import', component: () => import('./ImportPattern.vue') },
      ]
    : []
export default routes
