import type { RouteRecordRaw } from 'vue-router'

export default [{ path: '/keys', component: () => import('./KeysScreen.vue') }] satisfies readonly RouteRecordRaw[]
