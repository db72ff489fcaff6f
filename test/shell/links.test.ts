import { resolve } from 'node:path'
import { createMemoryHistory, createRouter, type RouteRecordRaw } from 'vue-router'
import { expect, test } from 'vitest'
import { routeOf } from '../../main/shell/deep-link.ts'

// By its path: the types of the tests know no .vue files, which the routes name.
const FILE = resolve(import.meta.dirname, '../../renderer/app/routes.ts')
const { ROUTES } = (await import(FILE)) as { ROUTES: readonly RouteRecordRaw[] }
const router = createRouter({ history: createMemoryHistory(), routes: [...ROUTES] })

test.each([
  ['welcome', '/welcome'],
  ['instances', '/instances'],
  ['instances/wall', '/instances/wall'],
  ['instances/0197f0c2', '/instances/:id'],
  ['messages', '/messages/:instance?/:chat?'],
  ['messages/0197f0c2', '/messages/:instance?/:chat?'],
  ['messages/0197f0c2/12025550101', '/messages/:instance?/:chat?'],
  ['webhooks', '/webhooks'],
  ['webhooks/deliveries', '/webhooks/deliveries'],
  ['webhooks/whk_1', '/webhooks/:id'],
  ['keys', '/keys'],
  ['assistants', '/assistants/:tab(approvals|connect|calls)?'],
  ['assistants/approvals', '/assistants/:tab(approvals|connect|calls)?'],
  ['assistants/connect', '/assistants/:tab(approvals|connect|calls)?'],
  ['assistants/calls', '/assistants/:tab(approvals|connect|calls)?'],
  ['sandbox', '/sandbox'],
  ['settings', '/settings'],
  ['settings/api', '/settings/api'],
])('switchboard://%s opens %s in the window', (place, screen) => {
  const route = routeOf(`switchboard://${place}`)
  expect(route).toBe(`/${place}`)
  expect(router.resolve(route).matched.map(({ path }) => path)).toEqual([screen])
})
