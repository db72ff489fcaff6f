import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { EngineInstance } from '../engine.ts'
import type { GraphClient, GraphReply } from './graph-client.ts'
import { recordAt, recordsAt, textAt, type Json } from './json.ts'
import type { ConnectedNumber, Numbers } from './numbers.ts'
import type { GraphCredentials } from './transport.ts'

/** What the network says about a call that it knows by this id. */
export type CloudCallEvent =
  | { readonly kind: 'ringing' | 'accepted'; readonly networkId: string }
  | { readonly kind: 'rejected'; readonly networkId: string }
  | { readonly kind: 'answer'; readonly networkId: string; readonly sdp: string }
  | { readonly kind: 'ended'; readonly networkId: string; readonly failed: boolean }
  | { readonly kind: 'offered'; readonly networkId: string; readonly from: string; readonly sdp: string }

/** Signaling of calls over Meta's Cloud API (HTTP). The audio runs over WebRTC and is handled elsewhere. */
export interface CloudCalling {
  /** Refuses when Meta's data about the number already rules out calls. @throws ApiError invalid_state, not_ready */
  requireCallable(instance: EngineInstance): void
  /** Whether the person allows calls. @throws ApiError upstream_unavailable */
  permission(instance: EngineInstance, number: string): Promise<'granted' | 'missing'>
  /** Asks the person to allow calls. @returns quota: they were asked too recently. @throws ApiError upstream_unavailable */
  requestPermission(instance: EngineInstance, number: string): Promise<'requested' | 'quota'>
  /** @returns the network's id of the call. @throws CloudCallRefused */
  connect(instance: EngineInstance, call: { number: string; sdp: string; callId: string }): Promise<string>
  /** @throws ApiError upstream_unavailable */
  accept(instance: EngineInstance, networkId: string, sdp: string): Promise<void>
  reject(instance: EngineInstance, networkId: string): Promise<void>
  terminate(instance: EngineInstance, networkId: string): Promise<void>
  /** Must be registered before the service starts. */
  onEvent(listener: (instanceId: InstanceId, event: CloudCallEvent) => Promise<void>): void
}

/** Meta refuses the call. */
export class CloudCallRefused extends Error {
  readonly reason: 'call_permission_required' | 'number_not_callable' | 'calls_not_offered' | 'gateway_unavailable'

  constructor(reason: CloudCallRefused['reason'], message: string) {
    super(message)
    this.name = 'CloudCallRefused'
    this.reason = reason
  }
}

interface CallingDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly client: Pick<GraphClient, 'ask'>
  /** @throws ApiError not_ready */
  readonly connected: (instance: EngineInstance) => { number: ConnectedNumber; speaker: GraphCredentials }
  readonly numbers: Pick<Numbers, 'portfolioOf'>
}

/** Codes of Meta's Calling API. */
const NOT_CALLABLE = [138_001, 131_026]
const NO_PERMISSION = [138_006]
const REQUEST_QUOTA = [138_009]
const CALLS_OFF = 138_000
const NOT_IN_COUNTRY = 138_013
const NOT_OFFERED = [CALLS_OFF, NOT_IN_COUNTRY]
/** The person has given up a call that was offered longer ago. */
const OFFER_MS = 60_000
const REMEMBERED = 1_000

const REQUEST_TEXT = 'We would like to call you. May we?'

export function createCalling({ clock, client, connected, numbers }: CallingDeps) {
  const listeners: Parameters<CloudCalling['onEvent']>[0][] = []
  /** Offers that were already passed on. Meta may send a callback more than once. */
  const offered = new Set<string>()

  function ask(
    instance: EngineInstance,
    method: 'GET' | 'POST',
    edge: string,
    more: { body?: object; query?: Record<string, string> },
  ) {
    const { number, speaker } = connected(instance)
    const { body, query } = more
    return client.ask({
      ...{ method, path: `${number.phoneNumberId}/${edge}` },
      ...{ token: speaker.accessToken, accountId: speaker.accountId, version: speaker.version },
      ...(query && { query }),
      ...(body && { body: { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) } }),
    })
  }

  /** @throws ApiError invalid_state, upstream_unavailable */
  function okOf(instance: EngineInstance, reply: GraphReply): Json {
    if (reply.kind === 'ok') return reply.body
    const code = reply.kind === 'error' ? reply.error.code : null
    const people = LOW_LIMITS[numbers.portfolioOf(instance.id)?.limit?.tier ?? '']
    if (code === CALLS_OFF && people !== undefined) throw belowLimit(people)
    const refusal = code === null ? undefined : REFUSALS[code]
    if (refusal !== undefined) throw new ApiError('invalid_state', refusal[1]).because(refusal[0])
    const why = code === null ? 'did not answer' : `refused it (${code})`
    throw new ApiError(
      'upstream_unavailable',
      `Meta ${why}. Check that calling is enabled for this number, then retry.`,
    ).because('meta_calling')
  }

  const act = async (instance: EngineInstance, action: string, networkId: string, more: object = {}): Promise<void> => {
    const body = { messaging_product: 'whatsapp', call_id: networkId, action, ...more }
    okOf(instance, await ask(instance, 'POST', 'calls', { body }))
  }

  const calling: CloudCalling = {
    requireCallable(instance) {
      if (connected(instance).number.facts?.isCoexistence === true) throw noCallsBesideTheApp()
    },

    async permission(instance, number) {
      const reply = okOf(instance, await ask(instance, 'GET', 'call_permissions', { query: { user_wa_id: number } }))
      const permission = recordAt(reply, 'permission')
      const status = textAt(permission, 'status')
      const until = permission['expiration_time']
      const isOver = typeof until === 'number' && until * 1_000 <= clock.now()
      return (status === 'temporary' || status === 'permanent') && !isOver ? 'granted' : 'missing'
    },

    async requestPermission(instance, number) {
      const body = {
        ...{ messaging_product: 'whatsapp', recipient_type: 'individual', to: number, type: 'interactive' },
        interactive: {
          type: 'call_permission_request',
          action: { name: 'call_permission_request' },
          body: { text: REQUEST_TEXT },
        },
      }
      const reply = await ask(instance, 'POST', 'messages', { body })
      if (reply.kind === 'error' && REQUEST_QUOTA.includes(reply.error.code)) return 'quota'
      okOf(instance, reply)
      return 'requested'
    },

    async connect(instance, { number, sdp, callId }) {
      const session = { sdp_type: 'offer', sdp }
      const body = {
        messaging_product: 'whatsapp',
        to: number,
        action: 'connect',
        session,
        biz_opaque_callback_data: callId,
      }
      const reply = await ask(instance, 'POST', 'calls', { body })
      if (reply.kind === 'error') {
        const { code, details } = reply.error
        if (NO_PERMISSION.includes(code)) throw new CloudCallRefused('call_permission_required', details)
        if (NOT_CALLABLE.includes(code)) throw new CloudCallRefused('number_not_callable', details)
        if (NOT_OFFERED.includes(code)) throw new CloudCallRefused('calls_not_offered', details)
      }
      const id = reply.kind === 'ok' ? textAt(recordsAt(reply.body, 'calls')[0] ?? {}, 'id') : null
      if (id === null) throw new CloudCallRefused('gateway_unavailable', 'Meta did not take the call.')
      return id
    },

    accept: (instance, networkId, sdp) => act(instance, 'accept', networkId, { session: { sdp_type: 'answer', sdp } }),
    reject: (instance, networkId) => act(instance, 'reject', networkId),
    terminate: (instance, networkId) => act(instance, 'terminate', networkId),
    onEvent: (listener) => void listeners.push(listener),
  }

  return {
    calling,
    /** Handles a callback about a call. Idempotent. */
    async publish(instanceId: InstanceId, event: CloudCallEvent, atMs: number): Promise<void> {
      if (event.kind === 'offered') {
        if (offered.has(event.networkId) || clock.now() - atMs > OFFER_MS) return
        offered.add(event.networkId)
        if (offered.size > REMEMBERED) offered.delete([...offered][0] ?? '')
      }
      for (const listener of listeners) await listener(instanceId, event)
    },
  }
}

type CallRefusal = 'calls_off' | 'calls_at_once' | 'calls_too_many' | 'calls_not_in_country'

/** Errors that concern the number and not the person (Meta's list of calling errors). */
const REFUSALS: Readonly<Record<number, readonly [reason: CallRefusal, message: string]>> = {
  [CALLS_OFF]: [
    'calls_off',
    'Calls are not turned on for this number. Turn them on in the call settings of WhatsApp Manager.',
  ],
  138_002: [
    'calls_at_once',
    'This number has as many simultaneous calls as Meta allows. Call again when one has ended.',
  ],
  138_005: ['calls_too_many', 'This number has made as many calls as Meta allows for now. Call again later.'],
  138_012: ['calls_too_many', 'This number has made as many calls as Meta allows for now. Call again later.'],
  [NOT_IN_COUNTRY]: [
    'calls_not_in_country',
    'Meta does not let businesses with a number of this country call people. People can call the number. To call them, use a number of another country.',
  ],
}

const noCallsBesideTheApp = () =>
  new ApiError(
    'invalid_state',
    'This number is also used in the WhatsApp Business app, and Meta does not offer calls to such numbers. Call from the app, or use another number.',
  ).because('calls_beside_app')

/** The smallest messaging limit with which Meta offers calls. */
const PEOPLE_NEEDED = 2_000
const LOW_LIMITS: Readonly<Record<string, number>> = { TIER_50: 50, TIER_250: 250, TIER_1K: 1_000 }

const belowLimit = (limit: number) =>
  new ApiError(
    'invalid_state',
    `Meta offers calls to numbers that may write to at least ${PEOPLE_NEEDED} people in 24 hours. The limit of this one is ${limit}. Verify the business in Meta Business Suite, which raises it, then turn calls on in WhatsApp Manager.`,
  ).because('calls_need_limit', { limit, needed: PEOPLE_NEEDED })
