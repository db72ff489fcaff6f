import type { RouteRecordRaw } from 'vue-router'

export default [{ path: '/events', component: () => import('./EventsScreen.vue') }] satisfies readonly RouteRecordRaw[]
