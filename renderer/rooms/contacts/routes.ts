import type { RouteRecordRaw } from 'vue-router'

const importScreen = () => import('./ImportScreen.vue')

export default [
  { path: '/contacts', component: () => import('./ContactsScreen.vue') },
  { path: '/contacts/import', component: importScreen, props: { list: 'contacts' } },
  { path: '/opt-outs', component: () => import('./OptOutsScreen.vue') },
  { path: '/opt-outs/import', component: importScreen, props: { list: 'optOuts' } },
] satisfies readonly RouteRecordRaw[]
