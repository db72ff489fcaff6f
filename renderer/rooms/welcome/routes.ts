import type { RouteRecordRaw } from 'vue-router'

export const welcomeRoutes: readonly RouteRecordRaw[] = [
  { path: '/welcome', component: () => import('./WelcomeScreen.vue') },
]
