import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/softphone', component: () => import('./SoftphoneScreen.vue') },
] satisfies readonly RouteRecordRaw[]
