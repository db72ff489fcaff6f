import type { Clock } from '../../../kernel/clock.ts'
import type { Random } from '../../../kernel/ids.ts'
import { GraphFault, ok, parameterFault, SUCCESS, type GraphAnswer } from './answers.ts'
import type { GraphChange } from './callback-bodies.ts'
import type { Callbacks } from './callbacks.ts'
import type { Permissions } from './permissions.ts'
import type { GraphNumber } from './store.ts'

type Json = Readonly<Record<string, unknown>>

/** The phone of a simulated person, which answers calls. */
export interface SimulatedPhone {
  /** A call arrives with this offer. @returns the answer, or null to reject. */
  onCall(call: { readonly id: string; readonly from: string; readonly offer: string }): Promise<string | null>
  /** The business accepted a call from this phone. */
  onAnswer?(id: string, answer: string): void
  onEnded?(id: string): void
}

interface Call {
  readonly id: string
  readonly number: GraphNumber
  readonly user: string
  readonly direction: 'BUSINESS_INITIATED' | 'USER_INITIATED'
  readonly opaque: string | null
  acceptedAtMs: number | null
}

interface CallsDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly callbacks: Pick<Callbacks, 'send'>
  readonly permissions: Permissions
}

/** Numbers with these last four digits cannot be called. */
const NOT_CALLABLE = '0404'
/**
 * A business of these countries cannot call people. +1 is on Meta's list and missing here, because the README's
 * examples use it.
 */
const COUNTRIES_WITHOUT_CALLS = ['20', '84', '90', '234']

/**
 * Meta's Calling API on the simulated network: signalling as documented; the audio flows directly between the two
 * sides.
 */
export function createGraphCalls({ clock, random, callbacks, permissions }: CallsDeps) {
  const calls = new Map<string, Call>()
  const phones = new Map<string, SimulatedPhone>()

  const seconds = () => String(Math.floor(clock.now() / 1_000))
  const newId = () => `wacid.${random.bytes(18).toString('base64url')}`
  const base = ({ number, phoneNumberId }: GraphNumber) => ({
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: number, phone_number_id: phoneNumberId },
  })
  const change = (number: GraphNumber, value: object): GraphChange => ({
    field: 'calls',
    value: { ...base(number), ...value },
  })

  const tellStatus = ({ number, id, user, opaque }: Call, status: 'RINGING' | 'ACCEPTED' | 'REJECTED') =>
    callbacks.send(
      number,
      change(number, {
        statuses: [
          {
            ...{ id, type: 'call', status, timestamp: seconds(), recipient_id: user },
            ...(opaque === null ? {} : { biz_opaque_callback_data: opaque }),
          },
        ],
      }),
    )

  const tellCall = ({ number, id, user, direction }: Call, fields: object) => {
    const isTheirs = direction === 'USER_INITIATED'
    const [from, to] = isTheirs ? [user, number.number] : [number.number, user]
    return callbacks.send(
      number,
      change(number, { calls: [{ id, from, to, direction, timestamp: seconds(), ...fields }] }),
    )
  }

  async function end(call: Call, isTold: boolean): Promise<void> {
    if (!calls.delete(call.id)) return
    const { acceptedAtMs } = call
    if (call.direction === 'BUSINESS_INITIATED')
      await permissions.noteCall(call.number, call.user, acceptedAtMs !== null)
    phones.get(call.user)?.onEnded?.(call.id)
    const times =
      acceptedAtMs === null
        ? {}
        : {
            start_time: Math.floor(acceptedAtMs / 1_000),
            end_time: Math.floor(clock.now() / 1_000),
            duration: Math.round((clock.now() - acceptedAtMs) / 1_000),
          }
    if (isTold)
      await tellCall(call, { event: 'terminate', status: acceptedAtMs === null ? 'FAILED' : 'COMPLETED', ...times })
  }

  async function connect(number: GraphNumber, body: Json): Promise<GraphAnswer> {
    const { to, session, biz_opaque_callback_data: opaque } = body
    const { sdp, sdp_type: type } = (session ?? {}) as Json
    if (typeof to !== 'string' || !/^\d{7,15}$/.test(to)) throw parameterFault('The parameter to is required.')
    if (type !== 'offer' || typeof sdp !== 'string') throw parameterFault('session must be an SDP offer.')
    requireSdp(sdp)
    if (COUNTRIES_WITHOUT_CALLS.some((code) => number.number.startsWith(code)))
      throw new GraphFault(400, 138_013, '(#138013) Business-initiated calling is not available')
    if (to.endsWith(NOT_CALLABLE)) throw new GraphFault(400, 138_001, '(#138001) Receiver is not callable')
    if (!(await permissions.isGranted(number, to)))
      throw new GraphFault(400, 138_006, '(#138006) Call permission from the receiver is required')
    const call: Call = {
      ...{ id: newId(), number, user: to, direction: 'BUSINESS_INITIATED', acceptedAtMs: null },
      opaque: typeof opaque === 'string' ? opaque : null,
    }
    calls.set(call.id, call)
    // As Meta does, after the answer to this request.
    setImmediate(() => void ring(call, sdp).catch(() => end(call, true)))
    return ok({ messaging_product: 'whatsapp', calls: [{ id: call.id }] })
  }

  async function ring(call: Call, offer: string): Promise<void> {
    await tellStatus(call, 'RINGING')
    const phone = phones.get(call.user)
    // Without a simulated phone the call rings until the caller gives up.
    if (phone === undefined) return
    const answer = await phone.onCall({ id: call.id, from: call.number.number, offer })
    if (!calls.has(call.id)) return
    if (answer === null) {
      await tellStatus(call, 'REJECTED')
      return end(call, true)
    }
    call.acceptedAtMs = clock.now()
    await tellCall(call, { event: 'connect', session: { sdp_type: 'answer', sdp: answer } })
    await tellStatus(call, 'ACCEPTED')
  }

  function find(number: GraphNumber, id: unknown): Call {
    const call = typeof id === 'string' ? calls.get(id) : undefined
    if (call?.number.phoneNumberId === number.phoneNumberId) return call
    throw parameterFault('call_id does not name a call that runs.')
  }

  return {
    /** `POST /{phone-number-id}/calls` */
    async act(number: GraphNumber, body: Json): Promise<GraphAnswer> {
      if (body['messaging_product'] !== 'whatsapp') throw parameterFault('messaging_product is required.')
      if (body['action'] === 'connect') return connect(number, body)
      const call = find(number, body['call_id'])
      switch (body['action']) {
        case 'pre_accept':
        case 'accept': {
          const { sdp, sdp_type: type } = (body['session'] ?? {}) as Json
          if (type !== 'answer' || typeof sdp !== 'string') throw parameterFault('session must be an SDP answer.')
          requireSdp(sdp)
          call.acceptedAtMs ??= clock.now()
          phones.get(call.user)?.onAnswer?.(call.id, sdp)
          return SUCCESS
        }
        case 'reject':
        case 'terminate':
          setImmediate(() => void end(call, true).catch(() => {}))
          return SUCCESS
        default:
          throw parameterFault('action must be connect, pre_accept, accept, reject or terminate.')
      }
    },

    /** This phone now answers calls to the person. */
    addPhone(user: string, phone: SimulatedPhone): void {
      phones.set(user, phone)
    },
    /** A simulated person calls the number. @returns the id of the call. */
    async callFrom(user: string, number: GraphNumber, offer: string): Promise<string> {
      const call: Call = { id: newId(), number, user, direction: 'USER_INITIATED', opaque: null, acceptedAtMs: null }
      calls.set(call.id, call)
      await tellCall(call, { event: 'connect', session: { sdp_type: 'offer', sdp: offer } })
      return call.id
    },
    /** A simulated person hangs up. */
    async hangUp(id: string): Promise<void> {
      const call = calls.get(id)
      if (call !== undefined) await end(call, true)
    },
  }
}

export type GraphCalls = ReturnType<typeof createGraphCalls>

/** The requirements of Meta's media servers. */
function requireSdp(sdp: string): void {
  const fingerprints = sdp.match(/^a=fingerprint:\S+/gm) ?? []
  if (fingerprints.length === 0 || fingerprints.some((line) => line !== 'a=fingerprint:sha-256'))
    throw parameterFault('The SDP must have SHA-256 fingerprints only.')
  if ((sdp.match(/^m=/gm) ?? []).length !== 1 || !/^m=audio /m.test(sdp) || !/opus\/48000/i.test(sdp))
    throw parameterFault('The SDP must have one audio section with Opus.')
}
