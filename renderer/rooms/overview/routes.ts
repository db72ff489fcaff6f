import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/overview', component: () => import('./OverviewScreen.vue') },
] satisfies readonly RouteRecordRaw[]
