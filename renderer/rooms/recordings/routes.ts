import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/recordings', component: () => import('./RecordingsScreen.vue') },
  { path: '/recordings/:instance/calls/:call', component: () => import('./CallRecordingScreen.vue'), props: true },
  { path: '/recordings/:instance/:id', component: () => import('./PlayerScreen.vue'), props: true },
] satisfies readonly RouteRecordRaw[]
