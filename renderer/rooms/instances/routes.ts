import type { RouteRecordRaw } from 'vue-router'

export const instancesRoutes: readonly RouteRecordRaw[] = [
  { path: '/instances', component: () => import('./InstancesScreen.vue') },
  { path: '/instances/wall', component: () => import('./WallScreen.vue') },
  { path: '/instances/:id', component: () => import('./InstanceScreen.vue'), props: true },
]
