import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId, Random } from '../../kernel/ids.ts'
import { Secret } from '../../kernel/secret.ts'
import type { EngineInstance } from '../engine.ts'
import { problemOf, type Connect, type ConnectOutcome, type GivenField } from './connect.ts'
import { hashOfToken } from '../page-token.ts'
import { hasPage, isUsable, type Numbers, type OfficialNumber, type WithPage } from './numbers.ts'
import type { SelfTest } from './self-test.ts'
import { beginSignup, endSignup, signupOf } from './store.ts'
import type { App, GraphCredentials, Transport } from './transport.ts'

/** Contents of the page before anything is entered. */
export interface OnboardingView {
  readonly id: InstanceId
  readonly accountId: AccountId
  /** The callback URL for Meta; null without a public address. */
  readonly callbackAddress: string | null
  readonly verifyToken: Secret
  readonly selfTest: SelfTest
  /** Whether Meta's own signup is offered. */
  readonly canSignUp: boolean
}

/** As entered. */
export interface Pasted {
  readonly accessToken: string
  readonly appSecret: string
  readonly phoneNumberId: string
  readonly wabaId: string
  readonly pin: string
}

interface SignedUp {
  readonly id: InstanceId
  /** The page's contents before it was used up. */
  readonly view: OnboardingView
  /** Created for a number that was newly registered with the Cloud API. */
  readonly pin: Secret
  readonly outcome: ConnectOutcome
}

/**
 * The page behind `onboarding_url` of a live number. Every function @throws ApiError not_found for an unknown or used
 * token.
 */
export interface Onboarding {
  token(instance: EngineInstance): Promise<string | null>
  renew(tx: Tx, id: InstanceId): Promise<void>
  isKnown(token: string): Promise<boolean>
  view(token: string): Promise<OnboardingView>
  paste(token: string, pasted: Pasted): Promise<ConnectOutcome>
  /** @returns the URL of Meta's signup, valid for this visit. */
  beginSignup(token: string): Promise<string>
  /** The account that started the signup; does not use the state up. @throws ApiError not_found as finishSignup */
  accountOfSignup(state: string): Promise<AccountId>
  /** Completes the signup with what Meta returned. @throws ApiError not_found for an unknown, expired or used state. */
  finishSignup(code: string, state: string): Promise<SignedUp>
}

/** The operator's own app at Meta, for operators who are a Tech Provider. */
export interface SignupApp extends App {
  readonly configId: string
}

interface OnboardingNeeds {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly numbers: Numbers
  readonly transport: Transport
  readonly connect: Connect
  readonly selfTest: ((number: OfficialNumber, address: string) => Promise<SelfTest>) | null
  readonly callbackAddress: (id: InstanceId) => string | null
  readonly app: SignupApp | null
  readonly publicBaseUrl: string | null
}

const SIGNUP_URL = 'https://business.facebook.com/messaging/whatsapp/onboard/'
const SIGNUP_EXTRAS = JSON.stringify({
  version: 'v4',
  sessionInfoVersion: '3',
  featureType: 'whatsapp_business_app_onboarding',
})
const SIGNUP_MS = 60 * 60_000

export function createOnboarding(needs: OnboardingNeeds): Onboarding {
  const { db, clock, random, numbers, transport, connect, app, publicBaseUrl } = needs

  const returnAddress = publicBaseUrl === null ? null : `${publicBaseUrl}/onboard/signup`

  async function pageOf(token: string): Promise<WithPage> {
    await numbers.load()
    const number = numbers.byToken(token)
    if (number !== undefined) return number
    throw gone()
  }

  async function testOf(page: WithPage): Promise<SelfTest> {
    const address = needs.callbackAddress(page.instanceId)
    if (address === null) return { kind: 'no_address' }
    return needs.selfTest === null ? { kind: 'untested' } : needs.selfTest(page, address)
  }

  async function viewOf(page: WithPage): Promise<OnboardingView> {
    const { instanceId: id, accountId } = page
    return {
      id,
      accountId,
      callbackAddress: needs.callbackAddress(id),
      verifyToken: page.verifyToken(),
      selfTest: await testOf(page),
      canSignUp: app !== null && returnAddress !== null,
    }
  }

  /** The first number in the shared accounts that is not connected here yet. */
  async function findNumber(speaker: GraphCredentials, accounts: readonly string[]) {
    for (const wabaId of accounts) {
      const found = await transport.numbersOf(speaker, wabaId)
      if (found.kind !== 'ok') return { problem: problemOf(found, 'waba_id') }
      const free = found.value.find((id) => !numbers.having(id).some(isUsable))
      if (free !== undefined) return { wabaId, phoneNumberId: free }
    }
    return { problem: noNumber }
  }

  async function signUp(
    page: WithPage,
    app: App,
    code: string,
    redirectUri: string,
    pin: Secret,
  ): Promise<ConnectOutcome> {
    const { accountId, graphVersion: version } = page
    const token = await transport.exchangeCode(accountId, app, code, redirectUri)
    if (token.kind !== 'ok') return problemOf(token, 'access_token')
    const accounts = await transport.accountsOf(accountId, app, token.value)
    if (accounts.kind !== 'ok') return problemOf(accounts, 'access_token')
    const found = await findNumber({ accountId, version, accessToken: token.value }, accounts.value)
    if ('problem' in found) return found.problem
    return connect(page, { ...found, credentials: { accessToken: token.value, appSecret: app.secret }, pin })
  }

  return {
    async token(instance) {
      await numbers.load()
      let known = numbers.of(instance.id)
      if (isUsable(known)) return null
      if (known === undefined || !hasPage(known)) known = await db.commit((tx) => numbers.open(tx, instance))
      return known !== undefined && hasPage(known) ? numbers.showToken(known) : null
    },

    renew: (tx, id) => numbers.renewToken(tx, id),

    async isKnown(token) {
      await numbers.load()
      return numbers.byToken(token) !== undefined
    },

    view: async (token) => viewOf(await pageOf(token)),

    async paste(token, pasted) {
      const page = await pageOf(token)
      const problem = problemIn(pasted)
      if (problem) return problem
      const { phoneNumberId, wabaId, accessToken, appSecret, pin } = pasted
      const credentials = { accessToken: new Secret(accessToken), appSecret: new Secret(appSecret) }
      return connect(page, { phoneNumberId, wabaId, credentials, pin: pin === '' ? null : new Secret(pin) })
    },

    async beginSignup(token) {
      if (app === null || returnAddress === null) throw gone()
      const state = random.bytes(24).toString('base64url')
      const expiresAt = clock.now() + SIGNUP_MS
      const hashes = { tokenHash: hashOfToken(token), state: hashOfState(state) }
      const begun = await db.commit((tx) => tx.one(beginSignup, { ...hashes, expiresAt }))
      if (begun === undefined) throw gone()
      const url = new URL(SIGNUP_URL)
      const { id, configId } = app
      const asked = { app_id: id, config_id: configId, extras: SIGNUP_EXTRAS, redirect_uri: returnAddress, state }
      for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
      return url.href
    },

    async accountOfSignup(state) {
      const begun = await db.readOne(signupOf, { state: hashOfState(state), now: clock.now() })
      if (begun === undefined) throw gone()
      return begun.accountId
    },

    async finishSignup(code, state) {
      if (app === null || returnAddress === null) throw gone()
      await numbers.load()
      const ended = await db.commit((tx) => tx.one(endSignup, { state: hashOfState(state), now: clock.now() }))
      const page = ended && numbers.of(ended.instanceId)
      if (!page || !hasPage(page)) throw gone()
      const pin = new Secret(digits(random, 6))
      const view = await viewOf(page)
      const outcome = await signUp(page, app, code, returnAddress, pin)
      return { id: page.instanceId, view, pin, outcome }
    },
  }
}

/** Uniform: a byte of 250 or more would make the lower digits likelier. */
function digits(random: Random, length: number): string {
  let text = ''
  while (text.length < length) for (const byte of random.bytes(length)) if (byte < 250) text += String(byte % 10)
  return text.slice(0, length)
}

const noNumber: ConnectOutcome = { kind: 'problem', field: null, reason: { code: 'no_number' } }

/** Meta's ids are digits and its secrets have one line. Anything else was pasted by mistake. */
function problemIn({ accessToken, appSecret, phoneNumberId, wabaId, pin }: Pasted): ConnectOutcome | undefined {
  const wrong = (field: GivenField): ConnectOutcome => ({ kind: 'problem', field, reason: { code: `${field}_form` } })
  if (!/^[0-9]{5,30}$/.test(phoneNumberId)) return wrong('phone_number_id')
  if (!/^[0-9]{5,30}$/.test(wabaId)) return wrong('waba_id')
  if (!/^[\x21-\x7e]{20,2000}$/.test(accessToken)) return wrong('access_token')
  if (!/^[0-9a-fA-F]{32}$/.test(appSecret)) return wrong('app_secret')
  if (pin !== '' && !/^[0-9]{6}$/.test(pin)) return wrong('pin')
  return undefined
}

const hashOfState = (state: string): string => hashOfToken(state).toString('base64url')

const gone = () =>
  new ApiError(
    'not_found',
    'This onboarding page was used already or never existed. Connect the instance in Switchboard, or create an access link.',
  )
