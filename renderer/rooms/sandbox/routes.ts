import type { RouteLocationNormalized, RouteRecordRaw } from 'vue-router'

const SandboxScreen = () => import('./SandboxScreen.vue')

const part =
  (name: 'phones' | 'faults' | 'catchers') =>
  ({ params }: RouteLocationNormalized) => ({
    part: name,
    number: params['number'],
    catcher: params['catcher'] === '' ? undefined : params['catcher'],
  })

export default [
  { path: '/sandbox', component: SandboxScreen, props: part('phones') },
  { path: '/sandbox/phones/:number', component: SandboxScreen, props: part('phones') },
  { path: '/sandbox/faults', component: SandboxScreen, props: part('faults') },
  { path: '/sandbox/catchers/:catcher?', component: SandboxScreen, props: part('catchers') },
] satisfies readonly RouteRecordRaw[]
