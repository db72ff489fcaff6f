import type { RouteRecordRaw } from 'vue-router'

export const instancesRoutes: readonly RouteRecordRaw[] = [
  { path: '/instances', component: () => import('./InstancesScreen.vue') },
]
