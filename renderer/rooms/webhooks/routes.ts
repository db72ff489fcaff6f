import type { RouteRecordRaw } from 'vue-router'

export const webhooksRoutes: readonly RouteRecordRaw[] = [
  { path: '/webhooks', component: () => import('./WebhooksScreen.vue') },
]
