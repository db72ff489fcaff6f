import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/messages/:instance?/:chat?', component: () => import('./MessagesScreen.vue') },
] satisfies readonly RouteRecordRaw[]
