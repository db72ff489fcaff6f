import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/assistants/:tab(approvals|connect|calls)?', component: () => import('./AssistantsScreen.vue') },
] satisfies readonly RouteRecordRaw[]
