import type { RouteRecordRaw } from 'vue-router'

export const assistantsRoutes: readonly RouteRecordRaw[] = [
  { path: '/assistants/:tab(approvals|connect|calls)?', component: () => import('./AssistantsScreen.vue') },
]
