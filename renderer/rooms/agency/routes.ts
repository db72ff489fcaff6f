import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/clients', component: () => import('./ClientsScreen.vue') },
  { path: '/clients/:id', component: () => import('./ClientScreen.vue'), props: true },
  { path: '/brand', component: () => import('./BrandScreen.vue') },
] satisfies readonly RouteRecordRaw[]
