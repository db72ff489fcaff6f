import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/calls', component: () => import('./CallsScreen.vue') },
  { path: '/calls/schedule', component: () => import('./ScheduleScreen.vue') },
  { path: '/calls/:instance/:call', component: () => import('./CallScreen.vue'), props: true },
] satisfies readonly RouteRecordRaw[]
