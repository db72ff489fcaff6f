import type { RouteRecordRaw } from 'vue-router'

export const messagesRoutes: readonly RouteRecordRaw[] = [
  { path: '/messages', component: () => import('./MessagesScreen.vue') },
]
