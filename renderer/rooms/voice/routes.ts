import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/voice', component: () => import('./VoiceScreen.vue') },
  { path: '/voice/:id', component: () => import('./NumberScreen.vue'), props: true },
  { path: '/voice/:id/widgets', component: () => import('./WidgetsScreen.vue'), props: true },
  { path: '/voice/:id/widgets/:widget', component: () => import('./WidgetScreen.vue'), props: true },
] satisfies readonly RouteRecordRaw[]
