import type { RouteRecordRaw } from 'vue-router'

export default [
  { path: '/campaigns', component: () => import('./CampaignsScreen.vue') },
  { path: '/campaigns/edit/:id?', component: () => import('./BuilderScreen.vue'), props: true },
  { path: '/campaigns/:id', component: () => import('./CampaignScreen.vue'), props: true },
] satisfies readonly RouteRecordRaw[]
