import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/agents', component: () => import('./AgentsScreen.vue') },
  { path: '/agents/:id', component: () => import('./AgentScreen.vue'), props: true },
] satisfies readonly RouteRecordRaw[]
