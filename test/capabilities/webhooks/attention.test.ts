import { expect, test } from 'vitest'
import { ACCOUNT, HOUR, MINUTE, webhookWorld } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

test('retried and deactivated webhooks are issues until they work again', async () => {
  const world = await webhookWorld()
  const lines = () => world.webhooks().attention({ accountId: ACCOUNT, role: 'operator', network: null })
  const { id } = await world.hook()
  await world.happen()
  await world.pass(MINUTE)
  expect(await lines()).toEqual([])

  world.answer({ status: 500 })
  await world.happen()
  await world.pass(1_000)
  expect(await lines()).toMatchObject([
    { code: 'failing', severity: 'warning', count: 1, subject: { id }, ids: [id], sinceMs: null },
  ])
  world.answer({ status: 200 })
  await world.pass(HOUR)
  expect(await lines()).toEqual([])

  world.answer({ status: 410 })
  const { id: other } = await world.hook('second')
  await world.happen()
  await world.pass(1_000)
  const both = await lines()
  expect(both).toMatchObject([{ code: 'deactivated', severity: 'error', count: 2, subject: null }])
  expect(both[0]?.ids?.toSorted()).toEqual([id, other].toSorted())
  expect(both[0]?.sinceMs).toBeLessThanOrEqual(world.clock.now())
  await world.webhooks().update(ACCOUNT, id, { active: true }, keepsAccess)
  // What was refused is sent again.
  expect(await lines()).toMatchObject([
    { code: 'deactivated', count: 1, subject: { id: other } },
    { code: 'failing', count: 1, subject: { id } },
  ])
  await world.webhooks().remove(ACCOUNT, other)
  world.answer({ status: 200 })
  await world.pass(HOUR)
  expect(await lines()).toEqual([])
})
