import { bodyText } from '../../support/body-text.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import {
  answered,
  APP_SECRET,
  cloudWorld,
  failed,
  graphError,
  info,
  OURS,
  PHONE_NUMBER_ID,
  WABA_ID,
  type CloudWorld,
} from './cloud-world.ts'

const HALF_HOUR_MS = 30 * 60_000
const NEEDED = [
  ...['messages', 'user_preferences', 'account_update', 'account_alerts', 'security'],
  ...['message_template_status_update', 'message_template_quality_update', 'message_template_components_update'],
  ...['template_category_update', 'business_capability_update', 'phone_number_quality_update'],
]

let world: CloudWorld
let instance: EngineInstance
beforeEach(async () => {
  world = await cloudWorld()
  instance = await world.connected()
})
afterEach(() => world.close())

const evidence = () => world.official.engine.evidence(instance)
const checks = () =>
  world.asked.filter(({ url, method }) => method === 'GET' && new URL(url).pathname.endsWith(`/${PHONE_NUMBER_ID}`))
    .length
const onCheck = (answer: ReturnType<typeof answered>) =>
  world.answer(({ method }, path) => (method === 'GET' && path === PHONE_NUMBER_ID ? answer : undefined))
/** Second by second, as timers run. */
const pass = async (ms: number) => {
  for (let left = ms; left > 0; left -= 1_000) await world.clock.advance(Math.min(left, 1_000))
}
const accountUpdate = (value: object) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: WABA_ID, time: 1_767_614_400, changes: [{ field: 'account_update', value }] }],
})

test('Meta is asked about the number every half hour, and the answer is shown', async () => {
  expect(evidence()).toMatchObject({
    reachable: true,
    quality: { rating: 'GREEN', messagingLimit: 'TIER_1K', accountMode: 'LIVE' },
    issues: [],
  })
  onCheck(answered(200, info(OURS, { quality_rating: 'YELLOW', throughput: { level: 'HIGH' } })))
  await pass(HALF_HOUR_MS - 1_000)
  expect(checks()).toBe(0)
  await pass(2_000)
  expect(checks()).toBe(1)
  expect(evidence().quality?.rating).toBe('YELLOW')
  expect(world.official.engine.pace?.(instance)).toEqual({ perSecond: 1_000, toOne: { everyMs: 6_000, burst: 45 } })
})

test.each([
  [{}, 80],
  [{ throughput: { level: 'HIGH' } }, 1_000],
  [{ is_on_biz_app: true, throughput: { level: 'HIGH' } }, 20],
])('a number with %j from Meta may send %i messages a second', async (said, perSecond) => {
  onCheck(answered(200, info(OURS, said)))
  await world.official.engine.start(instance)
  await world.clock.advance(1)
  expect(world.official.engine.pace?.(instance)).toMatchObject({ perSecond })
})

describe('when a check fails', () => {
  test('it is repeated at growing intervals of up to five minutes, until it succeeds', async () => {
    onCheck(failed('ECONNREFUSED', false))
    await world.official.engine.start(instance)
    await pass(60_000)
    const soon = checks()
    expect(soon).toBeGreaterThan(4)
    expect(soon).toBeLessThan(40)
    await pass(20 * 60_000)
    expect(checks() - soon).toBeGreaterThan(2)
    expect(checks() - soon).toBeLessThan(40)
    expect(evidence().reachable).toBe(false)
    expect(world.told(instance)).toEqual([])
    onCheck(answered(200, info(OURS)))
    await pass(5 * 60_000)
    expect(world.of(instance, 'connected')).toEqual([{ kind: 'connected', number: OURS, name: 'Garden shop' }])
    expect(evidence().reachable).toBe(true)
  })

  test.each([
    [190, 'token_revoked'],
    [131_031, 'banned'],
  ] as const)('for a permanent reason (%i), the instance reports %s and is not checked again', async (code, reason) => {
    onCheck(graphError(code, 'x', 401))
    await world.official.engine.start(instance)
    await pass(HALF_HOUR_MS * 2)
    expect(world.of(instance, 'auth_failed')).toEqual([{ kind: 'auth_failed', reason, code, untilMs: null }])
    expect(checks()).toBe(1)
    expect(await world.official.engine.resume(instance)).toBe('no_session')
  })

  test('a restart tries the token again, and uses it when Meta accepts it', async () => {
    onCheck(graphError(190, 'x', 401))
    await world.official.engine.start(instance)
    await pass(1_000)
    onCheck(answered(200, info(OURS)))
    await world.official.engine.start(instance)
    await pass(1_000)
    expect(world.of(instance, 'connected')).toHaveLength(1)
    expect((await world.send(instance)).outcome.kind).toBe('accepted')
  })

  test('a missing permission is shown in health until it is granted', async () => {
    onCheck(graphError(200, 'x', 403))
    await world.official.engine.start(instance)
    await pass(1_000)
    expect(evidence().issues).toMatchObject([{ code: 'permission_missing' }])
    onCheck(answered(200, info(OURS)))
    await pass(10_000)
    expect(evidence().issues).toEqual([])
  })
})

describe('the templates of the business account', () => {
  const list = (summary: object, data: readonly object[] = []) =>
    world.answer(({ url }, path) =>
      path === `${WABA_ID}/message_templates`
        ? answered(200, {
            data,
            ...(new URL(url).searchParams.get('summary') === 'message_template_count,message_template_limit' && {
              summary,
            }),
          })
        : undefined,
    )
  const asked = () => world.asked.filter(({ url }) => url.includes('/message_templates')).length
  const hours = async (count: number) => {
    for (let minute = 0; minute < count * 60; minute++) await world.clock.advance(60_000)
  }
  const said = () => evidence().issues?.filter(({ code }) => code === 'templates_nearly_full') ?? []

  test.each([
    ['few', { message_template_count: 5_399, message_template_limit: 6_000 }, []],
    [
      'nearly as many as Meta allows',
      { message_template_count: 5_400, message_template_limit: 6_000 },
      [{ facts: { count: 5_400, limit: 6_000 } }],
    ],
    ['an unknown number', {}, []],
  ])('are counted once a day: %s', async (_what, summary, issues) => {
    list(summary)
    // The first time was when the number was connected.
    await hours(25)
    expect(said()).toMatchObject(issues)
    const before = asked()
    expect(before).toBeGreaterThan(0)
    await hours(23)
    expect(asked()).toBe(before)
    await hours(2)
    expect(asked()).toBe(before + 1)
  })

  test('are checked once a day for suspensions that have ended, because a callback may be lost', async () => {
    const unusable = async () =>
      (await world.official.engine.templates?.unusable?.(instance.accountId))?.map(({ name, state }) => [name, state])
    const template = { id: '1', name: 'visit', language: 'en', category: 'UTILITY', components: [] }
    list({}, [{ ...template, status: 'PAUSED' }])
    await hours(25)
    expect(await unusable()).toEqual([['visit', 'paused']])
    list({}, [{ ...template, status: 'APPROVED' }])
    await hours(25)
    expect(await unusable()).toEqual([])
  })
})

describe('the webhook fields of the app', () => {
  const app = (fields: readonly string[]) =>
    world.answer((request, path) => {
      if (path === 'app') return answered(200, { id: '900100' })
      if (path !== '900100/subscriptions') return undefined
      const isApp = new Headers(request.headers).get('authorization') === `Bearer 900100|${APP_SECRET}`
      if (!isApp) return graphError(190, 'Only the app may ask', 401)
      const other = { object: 'page', fields: NEEDED.map((name) => ({ name })) }
      return answered(200, {
        data: [other, { object: 'whatsapp_business_account', fields: fields.map((name) => ({ name })) }],
      })
    })
  const missing = () => evidence().issues?.filter(({ code }) => code === 'fields_missing') ?? []

  test('that are not selected are listed in health until they are', async () => {
    app(NEEDED.filter((name) => name !== 'user_preferences' && name !== 'account_update'))
    await world.official.engine.start(instance)
    await pass(1_000)
    expect(missing()).toMatchObject([
      {
        message: expect.stringContaining('to user_preferences, account_update,'),
        facts: { fields: ['user_preferences', 'account_update'] },
      },
    ])
    app(NEEDED)
    await pass(HALF_HOUR_MS)
    expect(missing()).toEqual([])
  })

  test('are requested once a day', async () => {
    app(NEEDED)
    await world.official.engine.start(instance)
    for (let minute = 0; minute < 23 * 60; minute++) await world.clock.advance(60_000)
    expect(world.asked.filter(({ url }) => url.includes('/subscriptions'))).toHaveLength(1)
    expect(missing()).toEqual([])
  })

  test('are not reported as missing if Meta does not return them', async () => {
    world.answer((_request, path) => (path === 'app' ? graphError(190, 'x', 401) : undefined))
    await world.official.engine.start(instance)
    await pass(1_000)
    expect(missing()).toEqual([])
    expect(world.of(instance, 'auth_failed')).toEqual([])
  })
})

test('after a start of the service the first checks are spread over a minute', async () => {
  await world.restart()
  expect(await world.official.engine.resume(instance)).toBe('connected')
  await world.official.engine.begin()
  expect(checks()).toBe(0)
  await pass(61_000)
  expect(checks()).toBe(1)
})

test('a number is checked within seconds once a keychain opens that was closed for a long time', async () => {
  await world.restart()
  world.vault.key = null
  await world.official.engine.resume(instance)
  await world.official.engine.begin()
  await pass(HALF_HOUR_MS)
  expect(checks()).toBe(0)
  world.vault.key = Buffer.alloc(32, 1)
  await pass(6_000)
  expect(checks()).toBe(1)
})

test('a connection that storage did not accept is reported again without a restart', async () => {
  world.sink.refusals = 1
  const other = { phoneNumberId: '106540352242999', number: '12025550299' }
  await expect(world.connected(other)).rejects.toThrow('full')
  const id = world.data.raw
    .prepare('SELECT instance_id FROM official_numbers WHERE phone_number_id = ?')
    .pluck()
    .get(other.phoneNumberId) as InstanceId
  await pass(60_000)
  expect(world.of({ ...instance, id }, 'connected')).toMatchObject([{ number: other.number }])
})

test('a new public address is registered at Meta immediately', async () => {
  const before = await cloudWorld()
  const mine = await before.connected()
  before.data.raw
    .prepare(`UPDATE official_numbers SET facts = replace(facts, 'switchboard.example', 'old.example')`)
    .run()
  await before.restart()
  await before.official.engine.resume(mine)
  await before.official.engine.begin()
  await before.clock.advance(1)
  const told = before.asked.find(({ method, url }) => method === 'POST' && url.endsWith(PHONE_NUMBER_ID))
  expect(bodyText(told?.body)).toContain('https://switchboard.example/callbacks/meta/')
  await before.close()
})

test('an instance that was stopped during a check stays stopped when the answer arrives', async () => {
  let arrive = () => {}
  world.answer(({ method }, path) =>
    method === 'GET' && path === PHONE_NUMBER_ID
      ? new Promise((resolve) => (arrive = () => resolve(answered(200, info(OURS)))))
      : undefined,
  )
  await world.official.engine.start(instance)
  await world.clock.advance(1)
  await world.official.engine.stop(instance)
  arrive()
  await world.clock.advance(1_000)
  expect(world.told(instance)).toEqual([])
  expect((await world.send(instance)).outcome.kind).toBe('not_ready')
})

describe('Meta’s callbacks about the account', () => {
  const field = (name: string, value: object, time?: number) => ({
    object: 'whatsapp_business_account',
    entry: [{ id: WABA_ID, ...(time !== undefined && { time }), changes: [{ field: name, value }] }],
  })

  test('raise the pace, and cause a check after a lower quality', async () => {
    const change = (event: string) =>
      field('phone_number_quality_update', {
        ...{ display_phone_number: `+${OURS}`, event, max_daily_conversations_per_business: 'TIER_10K' },
      })
    onCheck(answered(200, info(OURS, { quality_rating: 'RED', messaging_limit_tier: 'TIER_10K' })))
    await world.callBack(instance, change('FLAGGED'))
    await world.clock.advance(1)
    expect(evidence().quality).toMatchObject({ rating: 'RED', messagingLimit: 'TIER_10K' })
    expect(evidence().issues).toContainEqual(expect.objectContaining({ code: 'quality_low' }))
    world.answer(() => new Promise(() => {}))
    await world.callBack(instance, change('THROUGHPUT_UPGRADE'))
    expect(world.official.engine.pace?.(instance)).toMatchObject({ perSecond: 1_000 })
  })

  test('about medium quality show an issue until the quality is good again', async () => {
    const flagged = () =>
      world.callBack(
        instance,
        field('phone_number_quality_update', { display_phone_number: `+${OURS}`, event: 'FLAGGED' }),
      )
    const codes = () => (evidence().issues ?? []).map(({ code }) => code)
    for (const [rating, expected] of [
      ['YELLOW', ['quality_medium']],
      ['GREEN', []],
    ] as const) {
      onCheck(answered(200, info(OURS, { quality_rating: rating, messaging_limit_tier: 'TIER_10K' })))
      await flagged()
      await world.clock.advance(1)
      expect(codes().filter((code) => code.startsWith('quality'))).toEqual(expected)
    }
  })

  test('about a ban disconnect every number of the account, and its end reconnects them', async () => {
    const other = await world.connected({ phoneNumberId: '222222', number: '12025550201' })
    await world.callBack(instance, accountUpdate({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } }))
    for (const each of [instance, other]) expect(world.of(each, 'auth_failed')).toMatchObject([{ reason: 'banned' }])
    await world.callBack(
      instance,
      accountUpdate({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } }),
    )
    await pass(1_000)
    for (const each of [instance, other]) expect(world.of(each, 'connected')).toHaveLength(1)
  })
})

describe('Meta’s callback URL', () => {
  test('is registered when the number is connected, with the verify token of this instance', async () => {
    world.answer(() => undefined)
    const other = await cloudWorld()
    const told: object[] = []
    other.answer(({ method, body }, path) => {
      if (method === 'POST' && path === PHONE_NUMBER_ID) told.push(JSON.parse(bodyText(body)) as object)
      return undefined
    })
    const { id } = await other.connected()
    expect(told).toEqual([
      {
        webhook_configuration: {
          override_callback_uri: `https://switchboard.example/callbacks/meta/${id}`,
          verify_token: expect.stringMatching(/^[\w-]{32}$/),
        },
      },
    ])
    await other.close()
  })

  test('is registered again at each check until Meta accepts it, and health shows the issue until then', async () => {
    const other = await cloudWorld()
    let takes = false
    other.answer(({ method }, path) =>
      method === 'POST' && path === PHONE_NUMBER_ID && !takes ? graphError(2_200) : undefined,
    )
    const mine = await other.connected()
    const issues = () => other.official.engine.evidence(mine).issues
    expect(issues()).toMatchObject([
      { code: 'callbacks_missing', message: expect.stringContaining('Enter the callback address') },
    ])
    takes = true
    await other.official.engine.start(mine)
    await other.clock.advance(1)
    expect(issues()).toEqual([])
    await other.close()
  })

  test('is not registered without a public address, and health says that no callbacks arrive', async () => {
    const alone = await cloudWorld({ publicBaseUrl: null })
    const mine = await alone.connected()
    expect(alone.official.engine.evidence(mine).issues).toMatchObject([
      { code: 'callbacks_missing', message: expect.stringContaining('public_base_url') },
    ])
    await alone.close()
  })
})

test('logout unsubscribes at Meta only if no other number uses the account, and wipe deletes every row', async () => {
  const other = await world.connected({ phoneNumberId: '222222', number: '12025550201' })
  await world.official.engine.logout(instance)
  const left = () => world.asked.filter(({ method }) => method === 'DELETE').map(({ url }) => new URL(url).pathname)
  expect(left()).toEqual([])
  await world.official.engine.logout(other)
  expect(left()).toEqual([`/v26.0/${WABA_ID}/subscribed_apps`])
  expect(await world.official.engine.resume(other)).toBe('no_session')
  for (const each of [instance, other]) await world.official.engine.wipe(each)
  for (const table of ['official_numbers', 'official_callbacks', 'official_contacts']) {
    expect(world.data.raw.prepare(`SELECT count(*) AS n FROM ${table}`).get()).toEqual({ n: 0 })
  }
})

test('templates are read page by page, and read receipts are sent with Meta’s id', async () => {
  const template = {
    id: '1',
    name: 'hello',
    language: 'en',
    status: 'APPROVED',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'x' }],
  }
  world.answer(({ url }, path) => {
    if (!path.endsWith('/message_templates')) return undefined
    const isLast = new URL(url).searchParams.get('after') === 'A'
    return answered(200, {
      data: [template],
      paging: { cursors: { after: isLast ? 'B' : 'A' }, ...(isLast ? {} : { next: 'https://x' }) },
    })
  })
  expect(await world.official.engine.templates?.list(instance, { limit: 1, after: null })).toEqual({
    templates: [
      {
        ...{ ...template, quality: null, rejectedReason: null, pausedUntilMs: null, categoryChange: null },
        ...{ ttlSeconds: null, deletedAtMs: null, suspension: null },
      },
    ],
    after: 'A',
    capacity: null,
  })
  expect(await world.official.engine.templates?.list(instance, { limit: 1, after: 'A' })).toMatchObject({ after: null })
  world.asked.splice(0)
  await world.official.engine.direct?.markRead?.(instance, {
    engineMessageId: 'wamid.9',
    chat: '',
    isOwn: false,
    participant: null,
  })
  expect(JSON.parse(bodyText(world.asked[0]?.body))).toEqual({
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: 'wamid.9',
  })
  const message = { engineMessageId: 'wamid.9', chat: '', isOwn: false, participant: null }
  await world.official.engine.direct?.markRead?.(instance, message, true)
  expect(JSON.parse(bodyText(world.asked[1]?.body))).toMatchObject({
    ...{ status: 'read', message_id: 'wamid.9', typing_indicator: { type: 'text' } },
  })
})
