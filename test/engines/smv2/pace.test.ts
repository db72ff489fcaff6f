import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550200'
const ANA = '12025551301'
const BEN = '12025551302'

let world: LineWorld
let shop: EngineInstance

beforeAll(async () => {
  world = await lineWorld({
    pace: { pacePerMinute: 600, paceBurst: 3, paceChatPerMinute: 6, paceChatBurst: 3, paceSpacingMs: 0 },
  })
  shop = await world.connect(OURS)
})
afterAll(() => world.close())

test('messages and actions keep to the pace, and those that would wait too long are refused and never sent', async () => {
  const ana = world.whatsapp.phone(ANA)
  const sends = Array.from({ length: 20 }, (_, i) => world.sending(shop, { to: ANA, text: String(i) }, 20_000))
  const refused = await until('the refusals', async () => {
    const last = await sends.at(-1)?.outcome
    return last?.kind === 'nothing_sent' ? last : undefined
  })
  expect(refused.retryAfterSeconds).toBeGreaterThan(10)
  const [first] = await Promise.all(sends.slice(0, 3).map(({ outcome }) => outcome))
  const theirs = {
    engineMessageId: first?.kind === 'accepted' ? first.engineMessageId : '',
    ...{ chat: ANA, isOwn: true, participant: null },
  }
  await expect(world.smv2.engine.direct?.react?.(shop, theirs, '👍')).rejects.toMatchObject({ code: 'rate_limited' })
  expect(world.smv2.engine.retryAfterSeconds?.(shop, ANA)).toBeGreaterThan(10)
  expect(world.smv2.engine.retryAfterSeconds?.(shop, BEN)).toBeNull()

  // Another chat does not wait for this one.
  expect((await world.send(shop, { to: BEN })).outcome).toMatchObject({ kind: 'accepted' })
  await until('the first ones', () => ana.received().length >= 3)
  expect(ana.received().length).toBeLessThan(8)

  // Whoever still waits is told that nothing left, and nothing does.
  await world.smv2.engine.stop(shop)
  const outcomes = await Promise.all(sends.map(({ outcome }) => outcome))
  const left = outcomes.filter(({ kind }) => kind === 'accepted').length
  expect(outcomes.filter(({ kind }) => kind === 'nothing_sent')).toHaveLength(20 - left)
  const last = sends.findLastIndex((_, i) => outcomes[i]?.kind === 'accepted')
  expect(sends.map(({ messageId }) => world.hasLeft(messageId))).toEqual(sends.map((_, i) => i <= last))
  expect(ana.received().map(({ text }) => text)).toEqual(Array.from({ length: left }, (_, i) => String(i)))
})
