import type { RouteRecordRaw } from 'vue-router'

export const settingsRoutes: readonly RouteRecordRaw[] = [
  { path: '/settings', component: () => import('./SettingsScreen.vue') },
  { path: '/settings/api', component: () => import('./ReferenceScreen.vue') },
]
