import type { RouteRecordRaw } from 'vue-router'

const modules = import.meta.glob<{ default: readonly RouteRecordRaw[] }>('../rooms/*/routes.ts', { eager: true })

/** The screens of every room. */
export const ROUTES: readonly RouteRecordRaw[] = [
  { path: '/', redirect: '/overview' },
  ...Object.values(modules).flatMap((module) => module.default),
  { path: '/:rest(.*)*', redirect: '/overview' },
]
