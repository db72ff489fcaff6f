import { bodyText } from '../../support/body-text.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Pasted } from '../../../main/engines/official/index.ts'
import {
  answered,
  APP_SECRET,
  cloudWorld,
  failed,
  graphError,
  info,
  OURS,
  PHONE_NUMBER_ID,
  TOKEN,
  WABA_ID,
  type CloudWorld,
} from './cloud-world.ts'

let world: CloudWorld
beforeEach(async () => {
  world = await cloudWorld()
  // Known to Graph before anybody is connected here.
  world.answer(usual)
})
afterEach(() => world.close())

type Script = Parameters<CloudWorld['answer']>[0]
const usual: Script = ({ method }, path) => {
  if (method === 'GET' && path === PHONE_NUMBER_ID) return answered(200, info(OURS))
  return path === `${WABA_ID}/phone_numbers` ? answered(200, { data: [{ id: PHONE_NUMBER_ID }] }) : undefined
}
const first =
  (script: Script): Script =>
  (request, path) =>
    script(request, path) ?? usual(request, path)

const GIVEN: Pasted = {
  accessToken: TOKEN,
  appSecret: APP_SECRET,
  phoneNumberId: PHONE_NUMBER_ID,
  wabaId: WABA_ID,
  pin: '',
}
const opened = async () => {
  const instance = world.instance()
  return { instance, token: (await world.official.engine.onboarding?.token(instance)) ?? '' }
}
const paths = () => world.asked.map(({ method, url }) => `${method} ${new URL(url).pathname.replace('/v26.0', '')}`)

describe('pasted credentials', () => {
  test('are verified, subscribed to callbacks, and connect the number', async () => {
    const { instance, token } = await opened()
    expect(await world.official.onboarding.paste(token, GIVEN)).toEqual({
      kind: 'connected',
      number: OURS,
      name: 'Garden shop',
      callsBack: true,
      isNew: false,
    })
    expect(paths()).toEqual([
      `GET /${PHONE_NUMBER_ID}`,
      `GET /${WABA_ID}/phone_numbers`,
      `POST /${WABA_ID}/subscribed_apps`,
      `POST /${PHONE_NUMBER_ID}`,
    ])
    expect(world.of(instance, 'connected')).toEqual([{ kind: 'connected', number: OURS, name: 'Garden shop' }])
    expect(await world.official.engine.onboarding?.token(instance)).toBeNull()
  })

  test('use the app secret for a proof without sending it', async () => {
    const { token } = await opened()
    await world.official.onboarding.paste(token, GIVEN)
    expect(new URL(world.asked[0]?.url ?? '').searchParams.get('appsecret_proof')).toMatch(/^[0-9a-f]{64}$/)
    for (const { url, body } of world.asked) expect(`${url} ${bodyText(body)}`).not.toContain(APP_SECRET)
  })

  test.each([
    ['a phone number instead of its ID', { phoneNumberId: '+1 202 555' }, 'phone_number_id'],
    ['no account ID', { wabaId: '' }, 'waba_id'],
    ['half of a token', { accessToken: 'EAAG' }, 'access_token'],
    ['a token with a line break', { accessToken: `${TOKEN}\n${TOKEN}` }, 'access_token'],
    ['a secret that is none', { appSecret: 'x'.repeat(32) }, 'app_secret'],
    ['a PIN of five digits', { pin: '12345' }, 'pin'],
  ])('with %s are refused before anything is sent', async (_what, more, field) => {
    const { token } = await opened()
    expect(await world.official.onboarding.paste(token, { ...GIVEN, ...more })).toEqual({
      kind: 'problem',
      field,
      reason: { code: `${field}_form` },
    })
    expect(world.asked).toEqual([])
  })

  test.each([
    ['a dead token', graphError(190, 'x', 401), 'access_token', { code: 'token_dead' }],
    ['a permission that is missing', graphError(200, 'x', 403), 'access_token', { code: 'permission' }],
    ['an id that Meta does not know', graphError(100), 'phone_number_id', { code: 'unknown_id', detail: '100' }],
    [
      'the secret of another app',
      graphError(100, 'Invalid appsecret_proof provided in the API argument'),
      'app_secret',
      { code: 'other_app_secret' },
    ],
    ['a locked account', graphError(368), null, { code: 'blocked' }],
    ['a Meta that is not there', failed('ENOTFOUND', false), null, { code: 'unreachable', detail: 'ENOTFOUND' }],
  ])('that get %s are reported with the reason, and nothing is stored', async (_what, answer, field, reason) => {
    const { instance, token } = await opened()
    world.answer(first(({ method }, path) => (method === 'GET' && path === PHONE_NUMBER_ID ? answer : undefined)))
    expect(await world.official.onboarding.paste(token, GIVEN)).toEqual({
      kind: 'problem',
      field,
      reason,
    })
    expect(world.told(instance)).toEqual([])
    expect(await world.official.onboarding.isKnown(token)).toBe(true)
  })

  test('for a number in another account report the account as the problem', async () => {
    const { token } = await opened()
    world.answer(
      first((_request, path) => (path.endsWith('/phone_numbers') ? answered(200, { data: [{ id: '1' }] }) : undefined)),
    )
    expect(await world.official.onboarding.paste(token, GIVEN)).toMatchObject({
      field: 'waba_id',
      reason: { code: 'other_account' },
    })
  })

  test('for a number that is new to the Cloud API require a PIN, with which it is registered', async () => {
    const { token } = await opened()
    const isNew = info(OURS, { platform_type: 'NOT_APPLICABLE' })
    world.answer(
      first(({ method }, path) => (method === 'GET' && path === PHONE_NUMBER_ID ? answered(200, isNew) : undefined)),
    )
    expect(await world.official.onboarding.paste(token, GIVEN)).toMatchObject({
      field: 'pin',
      reason: { code: 'pin_needed' },
    })
    expect(await world.official.onboarding.paste(token, { ...GIVEN, pin: '123456' })).toMatchObject({
      kind: 'connected',
      isNew: true,
    })
    const registered = world.asked.find(({ url }) => url.endsWith('/register'))
    expect(JSON.parse(bodyText(registered?.body))).toEqual({ messaging_product: 'whatsapp', pin: '123456' })
  })

  test('for a number that the Business app uses never register it', async () => {
    const { token } = await opened()
    const shared = info(OURS, { platform_type: 'NOT_APPLICABLE', is_on_biz_app: true })
    world.answer(
      first(({ method }, path) => (method === 'GET' && path === PHONE_NUMBER_ID ? answered(200, shared) : undefined)),
    )
    expect(await world.official.onboarding.paste(token, GIVEN)).toMatchObject({ kind: 'connected' })
    expect(paths().join()).not.toContain('register')
  })
})

describe('the onboarding page', () => {
  test('works once: of two people who submit it at the same time, one connects', async () => {
    const { instance, token } = await opened()
    const both = await Promise.all([
      world.official.onboarding.paste(token, GIVEN),
      world.official.onboarding.paste(token, GIVEN),
    ])
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['connected', 'used'])
    expect(world.of(instance, 'connected')).toHaveLength(1)
    await expect(world.official.onboarding.paste(token, GIVEN)).rejects.toMatchObject({ code: 'not_found' })
  })

  test.each(['unknown', '', 'null', "' OR 1=1"])('with the token %j is unknown', async (token) => {
    await opened()
    expect(await world.official.onboarding.isKnown(token)).toBe(false)
    for (const act of [
      world.official.onboarding.view(token),
      world.official.onboarding.paste(token, GIVEN),
      world.official.onboarding.beginSignup(token),
    ]) {
      await expect(act).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  test('is offered again, with the same verify token, once Meta no longer accepts the token', async () => {
    const { instance, token } = await opened()
    const before = (await world.official.onboarding.view(token)).verifyToken.open()
    await world.official.onboarding.paste(token, GIVEN)
    world.answer(first((_request, path) => (path.endsWith('/messages') ? graphError(190) : undefined)))
    await world.send(instance)
    const next = (await world.official.engine.onboarding?.token(instance)) ?? ''
    expect(next).not.toBe(token)
    expect((await world.official.onboarding.view(next)).verifyToken.open()).toBe(before)
    world.answer(usual)
    expect(await world.official.onboarding.paste(next, GIVEN)).toMatchObject({ kind: 'connected' })
    expect((await world.send(instance)).outcome.kind).toBe('accepted')
  })

  test('survives a restart', async () => {
    const { token } = await opened()
    await world.restart()
    expect((await world.official.onboarding.view(token)).callbackAddress).toContain('/callbacks/meta/')
  })
})

describe('the self-test of the callback URL', () => {
  const tested = async (answer: Script) => {
    const { token } = await opened()
    world.answer(answer)
    return (await world.official.onboarding.view(token)).selfTest
  }
  const challenge: Script = ({ url }) => answered(200, new URL(url).searchParams.get('hub.challenge') ?? '')

  test('calls the URL from outside, as Meta does', async () => {
    expect(await tested(challenge)).toEqual({ kind: 'ok' })
    const asked = new URL(world.asked[0]?.url ?? '')
    expect([asked.host, asked.searchParams.get('hub.mode')]).toEqual(['switchboard.example', 'subscribe'])
  })

  test.each([
    ['does not resolve', { ...failed('ENOTFOUND', false), stage: 'dns' }, 'no_name', 'ENOTFOUND'],
    ['takes no connection', failed('ECONNREFUSED', false), 'unreachable', 'ECONNREFUSED'],
    ['is not public', { ...failed('address_not_public', false), stage: 'blocked' }, 'not_public', 'address_not_public'],
    [
      'has a bad certificate',
      { ...failed('CERT_HAS_EXPIRED', false), stage: 'tls' },
      'certificate',
      'CERT_HAS_EXPIRED',
    ],
    ['does not answer', { ...failed('timeout', false), stage: 'timeout' }, 'silent', 'timeout'],
    ['belongs to somebody else', answered(404, 'nginx'), 'other', '404'],
    ['answers another challenge', answered(200, 'hello'), 'other', '200'],
  ] as const)('of an address that %s reports the fault', async (_what, answer, code, detail) => {
    const fault = { code, host: 'switchboard.example', detail }
    expect(await tested(() => answer as never)).toEqual({ kind: 'wrong', fault })
  })

  test('reports that Meta calls only https, and that a URL is missing', async () => {
    for (const [publicBaseUrl, expected] of [
      [
        'http://switchboard.example',
        { kind: 'wrong', fault: { code: 'not_https', host: 'switchboard.example', detail: 'http:' } },
      ],
      [null, { kind: 'no_address' }],
    ] as const) {
      const other = await cloudWorld({ publicBaseUrl })
      const token = (await other.official.engine.onboarding?.token(other.instance())) ?? ''
      expect((await other.official.onboarding.view(token)).selfTest).toMatchObject(expected)
      await other.close()
    }
  })
})

describe('Meta’s own signup', () => {
  const signup: Script = (request, path) => {
    if (path === 'oauth/access_token') return answered(200, { access_token: TOKEN })
    if (path === 'debug_token')
      return answered(200, {
        data: { granular_scopes: [{ scope: 'whatsapp_business_management', target_ids: [WABA_ID] }] },
      })
    return usual(request, path)
  }
  const begun = async () => {
    const page = await opened()
    world.answer(signup)
    return { ...page, url: new URL(await world.official.onboarding.beginSignup(page.token)) }
  }

  test('starts at Meta, with a different state for each visit', async () => {
    const { token, url } = await begun()
    expect(url.origin + url.pathname).toBe('https://business.facebook.com/messaging/whatsapp/onboard/')
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      app_id: '900900900',
      config_id: '77777',
      redirect_uri: 'https://switchboard.example/onboard/signup',
      extras: '{"version":"v4","sessionInfoVersion":"3","featureType":"whatsapp_business_app_onboarding"}',
    })
    const again = new URL(await world.official.onboarding.beginSignup(token))
    expect(again.searchParams.get('state')).not.toBe(url.searchParams.get('state'))
    expect(url.href).not.toContain(token)
  })

  test('connects the number, and no URL contains the app secret', async () => {
    const { instance, url } = await begun()
    const done = await world.official.onboarding.finishSignup('the-code', url.searchParams.get('state') ?? '')
    expect(done).toMatchObject({ id: instance.id, outcome: { kind: 'connected', number: OURS } })
    expect(done.pin.open()).toMatch(/^\d{6}$/)
    for (const { url: asked } of world.asked) expect(asked).not.toContain(APP_SECRET)
    const form = new URLSearchParams(bodyText(world.asked.find(({ url }) => url.endsWith('access_token'))?.body))
    expect(Object.fromEntries(form)).toMatchObject({
      client_id: '900900900',
      code: 'the-code',
      redirect_uri: 'https://switchboard.example/onboard/signup',
    })
  })

  test('accepts an unmodified state once, within an hour', async () => {
    const { url } = await begun()
    const state = url.searchParams.get('state') ?? ''
    const finish = (given: string) => world.official.onboarding.finishSignup('code', given)
    for (const odd of ['', `${state}x`, state.slice(1), state.toLowerCase()]) {
      await expect(finish(odd)).rejects.toMatchObject({ code: 'not_found' })
    }
    await finish(state)
    await expect(finish(state)).rejects.toMatchObject({ code: 'not_found' })
    const later = await begun()
    world.clock.suspend(3_600_001)
    await expect(finish(later.url.searchParams.get('state') ?? '')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('with a code unknown to Meta reports a problem, and the page stays valid', async () => {
    const { token, url } = await begun()
    world.answer((request, path) => (path === 'oauth/access_token' ? graphError(100) : signup(request, path)))
    const done = await world.official.onboarding.finishSignup('x', url.searchParams.get('state') ?? '')
    expect(done.outcome).toMatchObject({ kind: 'problem' })
    expect(await world.official.onboarding.isKnown(token)).toBe(true)
  })

  test('for a number that is already connected here reports a problem', async () => {
    await world.connected()
    const { url } = await begun()
    const done = await world.official.onboarding.finishSignup('x', url.searchParams.get('state') ?? '')
    expect(done.outcome).toMatchObject({ kind: 'problem', reason: { code: 'no_number' } })
  })
})
