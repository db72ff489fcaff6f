import type { RouteRecordRaw } from 'vue-router'

export const keysRoutes: readonly RouteRecordRaw[] = [{ path: '/keys', component: () => import('./KeysScreen.vue') }]
