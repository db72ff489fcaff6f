import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/help/:section?', component: () => import('./HelpScreen.vue'), props: true },
] satisfies readonly RouteRecordRaw[]
