import type { RouteRecordRaw } from 'vue-router'

export default [{ path: '/activity', component: () => import('./AuditScreen.vue') }] satisfies readonly RouteRecordRaw[]
