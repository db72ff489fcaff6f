import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/billing', component: () => import('./BillingScreen.vue') },
] satisfies readonly RouteRecordRaw[]
