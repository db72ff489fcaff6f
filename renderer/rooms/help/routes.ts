import type { RouteRecordRaw } from 'vue-router'

export const helpRoutes: readonly RouteRecordRaw[] = [
  { path: '/help/:section?', component: () => import('./HelpScreen.vue'), props: true },
]
