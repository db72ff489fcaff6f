import type { RouteRecordRaw } from 'vue-router'

export const sandboxRoutes: readonly RouteRecordRaw[] = [
  { path: '/sandbox', component: () => import('./SandboxScreen.vue') },
]
