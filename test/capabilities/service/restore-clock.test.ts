import { describe, expect, test } from 'vitest'
import { backUp, goBack, newHome, WAYS } from '../../support/restores.ts'
import { world, type World } from '../../support/world.ts'
import { CARDS, onWorld } from '../billing/billing-world.ts'
import { phonesFrom } from '../campaigns/campaign-world.ts'

/** A service is started twice in each. */
const HOUR_MS = 3_600_000
const [PERSON = '', OTHER = ''] = phonesFrom(2)

/** Sends with a key, and the same again. @returns the id of the message. */
async function send(w: World, instance: string, key = 'k'): Promise<string> {
  const body = { to: OTHER, text: 'Hello' }
  const sent = await w.api('POST', `/v1/instances/${instance}/messages`, body, { headers: { 'idempotency-key': key } })
  expect(sent.status, sent.text).toBe(201)
  return sent.body.message_id as string
}

const chatOf = async (w: World, instance: string) =>
  (await w.api('GET', `/v1/instances/${instance}/ai/conversations/${PERSON}`)).body as Record<string, unknown>

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])('when %s', (way) => {
  describe.each([
    ['while the service runs', -25 * HOUR_MS, 0],
    ['a month, while the service runs', -30 * 24 * HOUR_MS, 0],
    ['while the service is down', 0, -25 * HOUR_MS],
    ['twice', -25 * HOUR_MS, -25 * HOUR_MS],
  ])('and the clock was set back since the backup, %s', (_, runningMs, downMs) => {
    test('nothing is bought or sent again, and the agent stays paused', async () => {
      const w = await world({ home: newHome() })
      const line = await w.pair()
      const b = onWorld(w)
      await b.card(CARDS.works)
      const at = `/v1/instances/${line.id}/ai`
      await w.api('POST', `${at}/agents`, { name: 'R', provider: 'builtin' })
      await w.api('PATCH', `${at}/settings`, { enabled: true, debounce_seconds: 0 })
      await w.api('POST', `/v1/sandbox/phones/${PERSON}/messages`, { to: line.phone_number, text: 'Hello' })
      await w.pass(3_000)
      const name = await backUp(w)
      const headers = { 'idempotency-key': 'order-1' }
      const bought = await b.buy({ plan: 'growth' }, headers)
      const sent = await send(w, line.id)
      const paused = await w.api('POST', `${at}/conversations/${PERSON}/pause`, { minutes: 24 * 60 })
      expect(paused.status, paused.text).toBeLessThan(300)
      await b.rest()
      w.clock.set(w.clock.now() + runningMs)
      await w.pass(3_000)

      const after = onWorld(await goBack(w, name, way, downMs))
      const again = await after.w.api('POST', '/v1/billing/purchases', { plan: 'growth' }, { headers })
      expect([again.status, again.body.id]).toEqual([201, bought.id])
      expect(again.headers['idempotent-replayed']).toBe('true')
      expect(await after.purchases()).toHaveLength(1)
      if (way === 'a person restores it') expect(await send(after.w, line.id)).toBe(sent)
      expect(await chatOf(after.w, line.id)).toMatchObject({ ai_active: false })
      // Stopping takes a while.
      after.w.clock.suspend(20 * HOUR_MS)
      expect(await chatOf(after.w, line.id)).toMatchObject({ ai_active: false })
      after.w.clock.suspend(4 * HOUR_MS)
      if (way === 'a person restores it' || downMs === 0)
        expect(await chatOf(after.w, line.id)).toMatchObject({ ai_active: true })
    })
  })

  test.each([
    ['forward by 25 hours', [25 * HOUR_MS]],
    ['forward by a year', [365 * 24 * HOUR_MS]],
    ['forward by a year and back again', [365 * 24 * HOUR_MS, -365 * 24 * HOUR_MS]],
    ['back by a month', [-30 * 24 * HOUR_MS]],
  ])('and the clock was set %s, the keys of sends keep their 24 hours', async (_, changes) => {
    const w = await world({ home: newHome() })
    const line = await w.pair()
    const early = await send(w, line.id, 'before the backup')
    const name = await backUp(w)
    const late = await send(w, line.id, 'since the backup')
    for (const byMs of changes) {
      w.clock.set(w.clock.now() + byMs)
      await w.pass(3_000)
    }

    const after = await goBack(w, name, way)
    after.clock.suspend(20 * HOUR_MS)
    expect(await send(after, line.id, 'before the backup')).toBe(early)
    expect(await send(after, line.id, 'since the backup')).toBe(late)
    after.clock.suspend(5 * HOUR_MS)
    expect(await send(after, line.id, 'since the backup')).not.toBe(late)
  })
})
