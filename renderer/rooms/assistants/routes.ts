import type { RouteRecordRaw } from 'vue-router'

export const assistantsRoutes: readonly RouteRecordRaw[] = [
  { path: '/assistants', component: () => import('./AssistantsScreen.vue') },
]
