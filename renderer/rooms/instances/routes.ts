import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/instances', component: () => import('./InstancesScreen.vue') },
  { path: '/instances/wall', component: () => import('./WallScreen.vue') },
  { path: '/instances/:id', component: () => import('./InstanceScreen.vue'), props: true },
] satisfies readonly RouteRecordRaw[]
