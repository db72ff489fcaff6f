import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/webhooks', component: () => import('./WebhooksScreen.vue') },
  { path: '/webhooks/deliveries', component: () => import('./DeliveriesScreen.vue') },
  { path: '/webhooks/:id', component: () => import('./WebhookScreen.vue'), props: true },
] satisfies readonly RouteRecordRaw[]
