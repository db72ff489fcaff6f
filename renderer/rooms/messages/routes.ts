import type { RouteRecordRaw } from 'vue-router'

export const messagesRoutes: readonly RouteRecordRaw[] = [
  { path: '/messages/:instance?/:chat?', component: () => import('./MessagesScreen.vue') },
]
