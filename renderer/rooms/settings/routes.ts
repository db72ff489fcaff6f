import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/settings', component: () => import('./SettingsScreen.vue') },
  { path: '/settings/api', component: () => import('./ReferenceScreen.vue') },
] satisfies readonly RouteRecordRaw[]
