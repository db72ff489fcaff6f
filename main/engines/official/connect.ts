import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Log } from '../../kernel/log.ts'
import type { Secret } from '../../kernel/secret.ts'
import type { EngineSink } from '../engine.ts'
import type { SubscribeCallbacks } from './subscribe-callbacks.ts'
import { meaningOf } from './errors.ts'
import { afterAnswer, type NumberFacts } from './number-facts.ts'
import type { Credentials, Numbers, WithPage } from './numbers.ts'
import type { Reason, ReasonCode } from './connect-error.ts'
import type { NotOk, GraphCredentials, Transport } from './transport.ts'
import type { NumberMonitor } from './number-monitor.ts'

/** What a person enters to connect a number. */
interface Given {
  readonly phoneNumberId: string
  readonly wabaId: string
  readonly credentials: Credentials
  /** Six digits; needed only for a number that is not yet registered with the Cloud API. */
  readonly pin: Secret | null
}

export type ConnectOutcome =
  | {
      readonly kind: 'connected'
      readonly number: string
      readonly name: string | null
      /** Whether Meta calls this service back. If not, somebody has to enter the callback URL at Meta. */
      readonly callsBack: boolean
      /** Whether the number was newly registered with the Cloud API, with this PIN. */
      readonly isNew: boolean
    }
  | { readonly kind: 'problem'; readonly field: GivenField | null; readonly reason: Reason }
  /** Somebody else used the page meanwhile. */
  | { readonly kind: 'used' }

export type GivenField = 'access_token' | 'app_secret' | 'phone_number_id' | 'waba_id' | 'pin'

interface ConnectDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Pick<Log, 'info'>
  readonly numbers: Numbers
  readonly transport: Transport
  readonly watch: Pick<NumberMonitor, 'follow'>
  readonly sink: EngineSink
  readonly askForCalls: SubscribeCallbacks
}

export type Connect = (page: WithPage, given: Given) => Promise<ConnectOutcome>

/**
 * Connects a number with the values entered: checks the token and the app secret, checks that the number belongs to
 * the account, registers the number and the callback URL at Meta, and then stores everything in one commit that also
 * uses up the page.
 */
export function createConnect(deps: ConnectDeps): Connect {
  const { db, clock, log, numbers, transport, watch, sink, askForCalls } = deps

  return async (page, given) => {
    const { instanceId, accountId, graphVersion: version } = page
    const { credentials, phoneNumberId, wabaId } = given
    const speaker = { accountId, version, accessToken: credentials.accessToken }
    const info = await transport.numberInfo(speaker, phoneNumberId, credentials.appSecret)
    if (info.kind !== 'ok') return problemOf(info, 'phone_number_id')
    const isNew = !info.value.facts.isRegistered && !info.value.facts.isCoexistence
    const problem = (await checkAccount(speaker, given)) ?? (await prepare(speaker, given, isNew))
    if (problem) return problem
    const callsBackTo = await askForCalls(speaker, { ...page, phoneNumberId })
    const facts: NumberFacts = { ...afterAnswer({}, info.value, clock.now()), callsBackTo }
    const { number, name } = info.value
    const connection = { phoneNumberId, wabaId, number, name, facts, credentials }
    const connected = await db.commit((tx) => numbers.connect(tx, page, connection))
    if (connected === undefined) return { kind: 'used' }
    try {
      await sink(instanceId, { kind: 'connected', number, name })
      if (facts.isCoexistence) await askForAppData(speaker, phoneNumberId, instanceId)
    } finally {
      // The number is connected at this point. If this cannot be stored, the first check repeats it.
      watch.follow(instanceId)
    }
    return { kind: 'connected', number, name, callsBack: callsBackTo !== null, isNew }
  }

  /** Meta allows this within a day after the signup. A number that was connected before has already sent its data. */
  async function askForAppData(speaker: GraphCredentials, phoneNumberId: string, instanceId: string): Promise<void> {
    for (const type of ['smb_app_state_sync', 'history'] as const) {
      const asked = await transport.requestAppData(speaker, phoneNumberId, type)
      if (asked.kind === 'ok') continue
      const code = asked.kind === 'error' ? asked.error.code : asked.code
      log.info({ event: 'official.app_data_not_given', instanceId, type, code })
    }
  }

  async function checkAccount(
    speaker: GraphCredentials,
    { wabaId, phoneNumberId }: Given,
  ): Promise<ConnectOutcome | undefined> {
    const found = await transport.numbersOf(speaker, wabaId)
    if (found.kind !== 'ok') return problemOf(found, 'waba_id')
    if (found.value.includes(phoneNumberId)) return undefined
    return wrong('waba_id', 'other_account')
  }

  async function prepare(speaker: GraphCredentials, given: Given, isNew: boolean): Promise<ConnectOutcome | undefined> {
    const { wabaId, phoneNumberId, pin } = given
    const subscribed = await transport.subscribe(speaker, wabaId)
    if (subscribed.kind !== 'ok') return problemOf(subscribed, 'waba_id')
    // Coexistence: registering the number would remove it from the Business app on the phone.
    if (!isNew) return undefined
    if (pin === null) return wrong('pin', 'pin_needed')
    const registered = await transport.register(speaker, phoneNumberId, pin)
    return registered.kind === 'ok' ? undefined : problemOf(registered, 'pin')
  }
}

const wrong = (field: GivenField | null, code: ReasonCode, detail?: string): ConnectOutcome => ({
  kind: 'problem',
  field,
  reason: { code, ...(detail !== undefined && { detail }) },
})

/** @param field the field to blame when Meta answers that something does not exist. */
export function problemOf(reply: NotOk, field: GivenField): ConnectOutcome {
  if (reply.kind !== 'error') return wrong(null, 'unreachable', reply.code)
  const { error } = reply
  if (error.code === 100 && /appsecret_proof/i.test(error.details)) return wrong('app_secret', 'other_app_secret')
  const meaning = meaningOf(error)
  if (meaning?.kind === 'held' && meaning.reason === 'policy') return wrong(null, 'blocked')
  switch (meaning?.kind) {
    case 'token_dead':
      return wrong('access_token', 'token_dead')
    case 'permission':
      return wrong('access_token', 'permission')
    case 'invalid':
      return wrong(field, 'unknown_id', String(error.code))
    case 'blocked':
      return wrong(null, 'blocked')
    default:
      return wrong(null, 'refused', `${error.code}: ${error.details}`)
  }
}
