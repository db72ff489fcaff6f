import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { cloudWorld, WABA_ID, type CloudWorld } from './cloud-world.ts'

let world: CloudWorld
let instance: EngineInstance
beforeEach(async () => {
  world = await cloudWorld()
  instance = await world.connected()
})
afterEach(() => world.close())

const evidence = () => world.official.engine.evidence(instance)
const codes = () => (evidence().issues ?? []).map(({ code }) => code)
const update = (value: object) =>
  world.callBack(instance, {
    object: 'whatsapp_business_account',
    entry: [{ id: WABA_ID, time: 1_767_614_400, changes: [{ field: 'account_update', value }] }],
  })
const restrict = (...given: readonly (readonly [type: string, untilMs?: number])[]) =>
  update({
    event: 'ACCOUNT_RESTRICTION',
    restriction_info: given.map(([restriction_type, untilMs]) => ({
      ...{ restriction_type, ...(untilMs !== undefined && { expiration: String(untilMs / 1_000) }) },
    })),
  })

describe('a restriction of an account', () => {
  test('on new chats applies until it ends', async () => {
    const untilMs = world.clock.now() + 3_600_000
    await restrict(['RESTRICTED_BIZ_INITIATED_MESSAGING', untilMs])
    expect(evidence().restriction).toEqual({
      ...{ kind: 'RESTRICTED_BIZ_INITIATED_MESSAGING', sinceMs: 1_767_614_400_000, untilMs },
    })
    world.clock.suspend(untilMs - world.clock.now())
    expect(evidence().restriction).toBeNull()
  })

  test('on replies stops all messages, also together with one on new chats', async () => {
    const untilMs = world.clock.now() + 3_600_000
    await restrict(
      ['RESTRICTED_BIZ_INITIATED_MESSAGING', untilMs],
      ['RESTRICTED_CUSTOMER_INITIATED_MESSAGING', untilMs],
    )
    expect(evidence().restriction).toMatchObject({ kind: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING', stops: 'replies' })
  })

  test.each([
    ['RESTRICTED_ADD_PHONE_NUMBER_ACTION', 'restricted_adding_numbers'],
    ['RESTRICTED_UTILITY_TEMPLATES', 'restricted_utility_templates'],
    ['RATE_LIMITED_UTILITY_TEMPLATE_MESSAGING', 'restricted_utility_limit'],
    ['RESTRICTED_BUSINESS_INITIATED_CALLING', 'restricted_calls'],
    ['RESTRICTED_USER_INITIATED_CALLS', 'restricted_calls'],
  ])('%s stops no messages, and is shown in health', async (kind, code) => {
    const untilMs = world.clock.now() + 3_600_000
    await restrict([kind, untilMs])
    expect([evidence().restriction, codes()]).toEqual([null, [code]])
    expect(evidence().issues?.[0]?.message).toContain(new Date(untilMs).toISOString())
    expect(evidence().issues?.[0]?.facts).toEqual({ kind, untilMs })
    world.clock.suspend(3_600_000)
    expect(codes()).toEqual([])
  })

  test('of an unknown kind stops new chats', async () => {
    await restrict(['RESTRICTED_SOMETHING_NEW'])
    expect(evidence().restriction).toMatchObject({ kind: 'RESTRICTED_SOMETHING_NEW', untilMs: null })
  })

  test('is added to the others, and replaces the earlier one of its kind', async () => {
    const now = world.clock.now()
    await restrict(['RESTRICTED_BIZ_INITIATED_MESSAGING', now + 60_000], ['RESTRICTED_UTILITY_TEMPLATES'])
    await restrict(['RESTRICTED_BIZ_INITIATED_MESSAGING', now + 120_000])
    expect(evidence().restriction?.untilMs).toBe(now + 120_000)
    expect(codes()).toEqual(['restricted_utility_templates'])
  })

  test('without an end date ends when a person reconnects the number or Meta reinstates the account', async () => {
    const untilMs = world.clock.now() + 3_600_000
    await restrict(['RESTRICTED_BIZ_INITIATED_MESSAGING'], ['RESTRICTED_UTILITY_TEMPLATES', untilMs])
    await world.official.engine.start(instance)
    await world.clock.advance(1)
    expect([evidence().restriction, codes()]).toEqual([null, ['restricted_utility_templates']])
    await update({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } })
    await world.clock.advance(1)
    expect(codes()).toEqual([])
  })
})

describe('utility templates', () => {
  const violation = (violation_type: string) =>
    update({ event: 'ACCOUNT_RESTRICTION', violation_info: { violation_type } })
  const suspension = () => evidence().utilitySuspension

  test('are suspended until the end, which Meta writes in seconds or as a date', async () => {
    const untilMs = world.clock.now() + 3_600_000
    await restrict(['RESTRICTED_UTILITY_TEMPLATES', untilMs])
    expect(suspension()).toEqual({ sinceMs: 1_767_614_400_000, untilMs })
    const expiration = '2026-02-19T13:59:20+0000'
    const restriction_info = [{ restriction_type: 'RESTRICTED_UTILITY_TEMPLATES', expiration }]
    await update({ event: 'ACCOUNT_RESTRICTION', restriction_info })
    expect(suspension()?.untilMs).toBe(Date.UTC(2026, 1, 19, 13, 59, 20))
  })

  test.each([
    ['RESTRICTED_UTILITY_TEMPLATES', 'UTILITY_TEMPLATE_ABUSE_UNBAN'],
    ['RATE_LIMITED_UTILITY_TEMPLATE_MESSAGING', 'UTILITY_TEMPLATE_ABUSE_RATE_LIMIT_RECOVERY'],
  ])('%s is over when Meta reports %s, and other restrictions stay', async (kind, end) => {
    await restrict([kind], ['RESTRICTED_ADD_PHONE_NUMBER_ACTION'])
    expect(codes()).toHaveLength(2)
    await violation(end)
    expect([suspension(), codes()]).toEqual([null, ['restricted_adding_numbers']])
  })

  test('are not suspended by a warning, which is shown in health for a week', async () => {
    await violation('UTILITY_TEMPLATE_ABUSE')
    expect([suspension(), codes()]).toEqual([null, ['utility_templates_warning']])
  })

  test('that are only limited are not suspended', async () => {
    await restrict(['RATE_LIMITED_UTILITY_TEMPLATE_MESSAGING', world.clock.now() + 3_600_000])
    expect(suspension()).toBeNull()
  })
})

describe('an account removed by Meta', () => {
  test.each([
    ['PARTNER_REMOVED', 'PRIMARY_INACTIVITY', 'removed_primary_inactivity'],
    ['PARTNER_REMOVED', 'COMPANION_INACTIVITY', 'removed_companion_inactivity'],
    ['PARTNER_REMOVED', 'CHANGE_NUMBER', 'removed_change_number'],
    ['PARTNER_REMOVED', 'BUSINESS_DOWNGRADE', 'removed_business_downgrade'],
    ['PARTNER_REMOVED', 'USER_RE_REGISTERED', 'removed_user_re_registered'],
    ['PARTNER_REMOVED', 'ACCOUNT_DISCONNECTED', 'removed_account_disconnected'],
    ['PARTNER_REMOVED', 'SOMETHING_NEW', 'removed'],
    ['PARTNER_APP_UNINSTALLED', null, 'removed_partner_app_uninstalled'],
    ['ACCOUNT_OFFBOARDED', null, 'removed_account_offboarded'],
  ])('with %s and %s does not stay connected, and health shows the reason', async (event, reason, code) => {
    await update({ event, ...(reason !== null && { disconnection_info: { reason } }) })
    expect(world.of(instance, 'auth_failed')).toMatchObject([{ reason: 'token_revoked' }])
    expect(codes()).toEqual([code])
    expect(evidence().issues?.[0]?.facts).toEqual({ reason: reason ?? event })
    await update({ event: 'ACCOUNT_RECONNECTED' })
    await world.clock.advance(1)
    expect(world.of(instance, 'connected')).toHaveLength(1)
    expect(codes()).toEqual([])
  })
})

test('a violation is shown for a week', async () => {
  await update({ event: 'ACCOUNT_VIOLATION', violation_info: { violation_type: 'ADULT' } })
  expect(evidence().issues).toMatchObject([
    { code: 'account_violation', message: expect.stringContaining('ADULT'), facts: { reason: 'ADULT' } },
  ])
  expect(evidence().restriction).toBeNull()
  world.clock.suspend(1_767_614_400_000 + 7 * 86_400_000 - world.clock.now())
  expect(codes()).toEqual([])
})
