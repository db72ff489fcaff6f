import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { answered, cloudWorld, graphError, info, OURS, WABA_ID, type CloudWorld } from './cloud-world.ts'

const HALF_HOUR_MS = 30 * 60_000
const OTHER_WABA = '102290129340399'
const BUSINESS = '2729063490586005'

let world: CloudWorld
/** What Meta says of each number and of each account. */
let said: Record<string, object>
beforeEach(async () => {
  world = await cloudWorld()
  said = {}
  world.answer(({ method }, path) => {
    const answer = said[path]
    return method === 'GET' && answer !== undefined ? answered(200, answer) : undefined
  })
})
afterEach(() => world.close())

const owner = (id: string) => ({ id: WABA_ID, owner_business_info: { name: 'Garden shops', id } })
const says = (phoneNumberId: string, limit: unknown, number = OURS) => {
  const field = limit === undefined ? {} : { whatsapp_business_manager_messaging_limit: limit }
  said[phoneNumberId] = { ...info(number, { messaging_limit_tier: undefined }), ...field, id: phoneNumberId }
}
const connect = (phoneNumberId: string, wabaId = WABA_ID) =>
  world.connected({ phoneNumberId, wabaId, number: `1202555${phoneNumberId.slice(-4)}` })
const portfolioOf = (instance: EngineInstance) => world.official.engine.evidence(instance).portfolio
const limitOf = (instance: EngineInstance) => portfolioOf(instance)?.limit
const shownOf = (instance: EngineInstance) => world.official.engine.evidence(instance).quality?.messagingLimit
const nextCheck = async () => {
  for (let left = HALF_HOUR_MS + 1_000; left > 0; left -= 1_000) await world.clock.advance(1_000)
}
const capability = (value: object, time?: number, wabaId = WABA_ID) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      ...{ id: wabaId, ...(time !== undefined && { time }) },
      changes: [{ field: 'business_capability_update', value }],
    },
  ],
})

describe('the messaging limit', () => {
  test('is read from the field of the portfolio, or from the older field if that is absent', async () => {
    says('1111110001', 'TIER_2K')
    const one = await connect('1111110001')
    expect(limitOf(one)).toEqual({ tier: 'TIER_2K', source: 'number', atMs: expect.any(Number) })
    expect(shownOf(one)).toBe('TIER_2K')
    said['1111110001'] = info(OURS, { messaging_limit_tier: 'TIER_10K' })
    await nextCheck()
    expect(limitOf(one)?.tier).toBe('TIER_10K')
  })

  test('is taken from a callback in the same second as the last response, because callbacks have whole seconds', async () => {
    await world.clock.advance(700)
    says('1111110001', 'TIER_2K')
    const one = await connect('1111110001')
    const second = Math.floor(world.clock.now() / 1_000)
    await world.callBack(one, capability({ max_daily_conversations_per_business: 'TIER_10K' }, second))
    expect(limitOf(one)?.tier).toBe('TIER_10K')
    await world.callBack(one, capability({ max_daily_conversations_per_business: 'TIER_250' }, second - 1))
    expect(limitOf(one)?.tier).toBe('TIER_10K')
  })

  test.each([undefined, null, '', 'TIER_NOT_SET', 'unlimited', 0, {}])(
    'keeps its last known value if Meta answers %j',
    async (limit) => {
      says('1111110001', 'TIER_2K')
      const one = await connect('1111110001')
      says('1111110001', limit)
      await nextCheck()
      expect(shownOf(one)).toBe('UNKNOWN')
      expect(limitOf(one)).toMatchObject({ tier: 'TIER_2K', source: 'last_known' })
      await world.restart()
      await world.official.engine.resume(one)
      expect(limitOf(one)).toMatchObject({ tier: 'TIER_2K', source: 'last_known' })
      says('1111110001', 'TIER_100K')
      await world.official.engine.start(one)
      await world.clock.advance(1)
      expect(limitOf(one)).toMatchObject({ tier: 'TIER_100K', source: 'number' })
    },
  )

  test('is unknown, not unlimited, if Meta has never reported it', async () => {
    says('1111110001', undefined)
    const one = await connect('1111110001')
    expect([limitOf(one), shownOf(one)]).toEqual([null, 'UNKNOWN'])
  })

  test('belongs to the portfolio, so a report about one number applies to the others', async () => {
    said[WABA_ID] = owner(BUSINESS)
    said[OTHER_WABA] = owner(BUSINESS)
    says('1111110001', 'TIER_250')
    const one = await connect('1111110001')
    await world.clock.advance(1_000)
    says('1111110002', 'TIER_2K')
    const other = await connect('1111110002', OTHER_WABA)
    expect(portfolioOf(one)).toEqual(portfolioOf(other))
    expect(portfolioOf(one)).toMatchObject({ id: BUSINESS, limit: { tier: 'TIER_2K' } })
  })

  test('is shared by the numbers of an account even if Meta does not name its owner', async () => {
    says('1111110001', 'TIER_250')
    says('1111110002', 'TIER_250')
    const [one, other] = [await connect('1111110001'), await connect('1111110002')]
    const third = await connect('1111110003', OTHER_WABA)
    expect(portfolioOf(one)).toEqual(portfolioOf(other))
    expect(portfolioOf(one)?.id).toBeNull()
    expect(portfolioOf(third)?.key).not.toBe(portfolioOf(one)?.key)
    said[WABA_ID] = owner(BUSINESS)
    await world.official.engine.start(one)
    await world.clock.advance(1)
    for (const each of [one, other]) expect(portfolioOf(each)?.id).toBe(BUSINESS)
  })

  test('stays with its portfolio while Meta cannot be reached', async () => {
    said[WABA_ID] = owner(BUSINESS)
    says('1111110001', 'TIER_250')
    const one = await connect('1111110001')
    world.answer(({ method }, path) => {
      if (method !== 'GET') return undefined
      return path === WABA_ID ? graphError(200, 'No permission', 403) : answered(200, said[path])
    })
    for (let i = 0; i < 50; i++) await nextCheck()
    expect(portfolioOf(one)).toMatchObject({ id: BUSINESS, limit: { tier: 'TIER_250' } })
  })
})

describe('a callback business_capability_update', () => {
  test.each([
    ['TIER_10K', 'TIER_10K'],
    [2_000, 'TIER_2K'],
    ['2000', 'TIER_2K'],
    [250, 'TIER_250'],
    [-1, 'TIER_UNLIMITED'],
  ])('with %j changes the limit of every number of the portfolio to %s', async (given, tier) => {
    said[WABA_ID] = owner(BUSINESS)
    said[OTHER_WABA] = owner(BUSINESS)
    says('1111110001', 'TIER_1K')
    says('1111110002', 'TIER_1K')
    const [one, other] = [await connect('1111110001'), await connect('1111110002', OTHER_WABA)]
    await world.clock.advance(1_000)
    await world.callBack(
      one,
      capability({ max_daily_conversations_per_business: given, max_phone_numbers_per_waba: 25 }),
    )
    for (const each of [one, other]) expect(limitOf(each)).toMatchObject({ tier, source: 'callback' })
    await world.restart()
    await world.official.engine.resume(other)
    expect(limitOf(other)).toMatchObject({ tier, source: 'callback' })
  })

  test('that is late, or contains no limit, changes nothing', async () => {
    says('1111110001', 'TIER_2K')
    const one = await connect('1111110001')
    const seconds = Math.floor(world.clock.now() / 1_000) - 3_600
    await world.callBack(one, capability({ max_daily_conversations_per_business: 'TIER_250' }, seconds))
    await world.callBack(one, capability({ max_daily_conversations_per_business: 'TIER_NOT_SET' }))
    await world.callBack(one, capability({ max_phone_numbers_per_business: 2 }))
    expect(limitOf(one)).toMatchObject({ tier: 'TIER_2K', source: 'number' })
  })
})
