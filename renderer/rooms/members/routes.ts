import type { RouteRecordRaw } from 'vue-router'

export default [{ path: '/team', component: () => import('./TeamScreen.vue') }] satisfies readonly RouteRecordRaw[]
