import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/welcome', component: () => import('./WelcomeScreen.vue') },
] satisfies readonly RouteRecordRaw[]
