import { describe, expect, test } from 'vitest'
import { phonesFrom } from '../capabilities/campaigns/campaign-world.ts'
import { newHome } from '../support/restores.ts'
import { world, worldOfTest, type World } from '../support/world.ts'

const SECOND = 1_000
const HOUR = 3_600_000
const DAY = 24 * HOUR
const YEAR = 365 * DAY

const setClock = async (w: World, byMs: number, thenMs = 3 * SECOND) => {
  w.clock.set(w.clock.now() + byMs)
  await w.pass(thenMs)
}

const restarted = async (w: World) => {
  await w.close()
  return worldOfTest({ home: w.home, vault: w.vault, clock: w.clock, seed: 2 })
}

describe('the clock is set forward by a year', () => {
  test('nothing is removed for its age, also after a restart', async () => {
    const w = await world({ home: newHome() })
    const { id } = await w.pair()
    const sent = await w.api('POST', `/v1/instances/${id}/messages`, { to: phonesFrom(1)[0], text: 'Hello' })
    await w.quiet()
    const events = (await w.events()).length
    await setClock(w, YEAR)
    const after = await restarted(w)
    await after.pass(2 * HOUR)
    expect((await after.events()).length).toBeGreaterThanOrEqual(events)
    expect((await after.api('GET', `/v1/instances/${id}/messages/${sent.body.message_id}`)).status).toBe(200)
  })
})
