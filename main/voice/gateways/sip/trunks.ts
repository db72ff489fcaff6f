import JsSIP, { type UA as Agent, type URI } from 'jssip'
import type { Clock } from '../../../kernel/clock.ts'
import { startTimeout } from '../../../kernel/timeout.ts'
import { inErrorScope, keepErrorScope } from '../../error-scope.ts'
import type { CallLeg } from '../../leg.ts'
import type { CheckResult, SipTrunk } from '../../protocol.ts'
import type { VoiceNetwork } from '../../network.ts'
import { boundTimers, refuseUnsupported } from './jssip-bounds.ts'
import { RtpPeer, type TrunkSide } from './rtp-peer.ts'
import { refusalOf, unsupportedIn, type Refusal, type SipRequest } from './refusal.ts'
import { createSipSocket, type SipSocket } from './sip-socket.ts'
import { createLeg, type Session } from './sip-leg.ts'
import { addressOfRecord, uriHost } from './sip-uri.ts'

interface Trunk {
  readonly config: SipTrunk
  readonly socket: SipSocket
  readonly trunkSide: TrunkSide
  readonly agent: Agent
  /** Number of calls and registrations that use it; it closes at zero. */
  uses: number
}

interface NewSession {
  readonly originator: string
  readonly session: Session
  readonly request: SipRequest
}

/** An OPTIONS request. JsSIP answers it with 200 unless it is rejected; its types lack the message. */
interface NewOptions {
  readonly request: SipRequest
  readonly message: { reject(refusal: Refusal): void }
}

interface TrunksDeps {
  readonly clock: Clock
  readonly network: Pick<VoiceNetwork, 'within'>
  readonly onIncoming: (call: { instanceId: string; incomingId: string; from: string }) => void
}

const CONNECT_MS = 10_000
const REGISTER_SECONDS = 300
const REGISTER_AGAIN_MS = 30_000
/** Minimum interval, because a trunk's answers control how often JsSIP registers. */
const BETWEEN_REGISTERS_MS = 2_000
/**
 * Session refresh time (RFC 4028), after which a call without refresh ends: during a hold, no audio shows that the
 * other side is still there.
 */
const SESSION_SECONDS = 1_800

/**
 * JsSIP is written for browsers. The globals that identify one exist only while JsSIP runs, because other code checks
 * for them too.
 */
function asInBrowser<T>(act: () => T): T {
  Object.assign(globalThis, BROWSER, { window: BROWSER })
  try {
    return act()
  } finally {
    delete (globalThis as Record<string, unknown>)['window']
  }
}

const BROWSER = {
  RTCPeerConnection: RtpPeer,
  RTCSessionDescription: function (this: object, description: object) {
    Object.assign(this, description)
  },
}

/** Telephone calls over SIP trunks. */
export function createTrunks({ clock, network, onIncoming }: TrunksDeps) {
  const trunks = new Map<string, Trunk>()
  const registered = new Map<string, Trunk>()
  const arriving = new Map<string, { session: Session; trunk: Trunk }>()
  let incomingIds = 0

  const isUsed = (agent: Agent) => [...trunks.values()].some((one) => one.agent === agent)
  const keyOf = (config: SipTrunk) => JSON.stringify(config)

  /** Calls share the connection, so its errors belong to the trunk: it is dropped and reopened. */
  function open(config: SipTrunk, register: boolean, instanceId: string | null): Trunk {
    let opened: Trunk | undefined
    const fail = () => opened?.socket.drop()
    return (opened = inErrorScope({ callId: null, fail }, () => openInScope(config, register, instanceId)))
  }

  function openInScope(config: SipTrunk, register: boolean, instanceId: string | null): Trunk {
    const key = `${keyOf(config)} ${instanceId ?? ''}`
    const known = trunks.get(key)
    if (known !== undefined) {
      known.uses++
      return known
    }
    const { username, password } = config
    const guard = network.within(config)
    const run = (act: () => void) => {
      RtpPeer.trunk = trunkSide
      asInBrowser(act)
    }
    const socket = createSipSocket(config, { network: guard, clock, run })
    const trunkSide = { localAddress: () => socket.localAddress(), permits: guard.permits }
    const agent = asInBrowser(
      () =>
        new JsSIP.UA({
          ...{ sockets: [socket], uri: addressOfRecord(config), authorization_user: username, password },
          ...{ register, register_expires: REGISTER_SECONDS, session_timers: true, user_agent: 'Switchboard' },
          ...{ connection_recovery_min_interval: 2, connection_recovery_max_interval: 30 },
        }),
    )
    paceRegistrations(agent)
    agent.on('connected', () => {
      // Like a browser, JsSIP uses a host that does not exist. With the real address, the trunk finds the connection.
      const port = socket.localPort()
      const { uri } = agent.contact as unknown as { uri: URI }
      if (port === null) return
      Object.assign(uri, { host: socket.localAddress(), port })
      uri.setParam('transport', config.transport)
      // JsSIP's registrator copied the contact before this address was known.
      const registrator = agent.registrator() as unknown as { _contact: string }
      registrator._contact = registrator._contact.replace(/^<[^>]*>/, () => agent.contact.toString())
    })
    const trunk: Trunk = { config, socket, trunkSide, agent, uses: 1 }
    trunks.set(key, trunk)
    // JsSIP does not retry. A wrong password is not retried here either, because that can lock the account.
    agent.on('registrationFailed', ({ response }: { response: { status_code: number } | null }) => {
      if (response === null) return socket.drop()
      if ([401, 403, 404, 407].includes(response.status_code)) return
      startTimeout(clock, REGISTER_AGAIN_MS, () => {
        if (trunk.uses > 0 && socket.isConnected() && !agent.isRegistered()) agent.register()
      })
    })
    agent.on('newOptions', (event: unknown) => {
      const { request, message } = event as NewOptions
      const refusal = unsupportedIn(request)
      if (refusal !== null) message.reject(refusal)
    })
    agent.on('newRTCSession', ({ originator, session, request }: NewSession) => {
      refuseUnsupported(session)
      boundTimers(session)
      if (originator !== 'remote') return
      if (instanceId === null) return session.terminate({ status_code: 603 })
      const refusal = refusalOf(request)
      if (refusal !== null) return session.terminate(refusal)
      const incomingId = String(++incomingIds)
      arriving.set(incomingId, { session, trunk })
      session.on('failed', () => arriving.delete(incomingId))
      onIncoming({ instanceId, incomingId, from: session.remote_identity.uri.user })
    })
    agent.start()
    return trunk
  }

  /** A trunk may request an immediate registration (423), or an expiry that no timer supports. */
  function paceRegistrations(agent: Agent): void {
    const registrator = agent.registrator() as unknown as { register: () => void }
    const register = registrator.register.bind(registrator)
    let nextMs = -Infinity
    let isWaiting = false
    registrator.register = () => {
      if (isWaiting) return
      const waitMs = nextMs - clock.mono()
      if (waitMs > 0) {
        isWaiting = true
        startTimeout(clock, waitMs, () => {
          isWaiting = false
          // A lost connection registers again when it returns.
          if (isUsed(agent) && agent.isConnected()) registrator.register()
        })
        return
      }
      nextMs = clock.mono() + BETWEEN_REGISTERS_MS
      register()
    }
  }

  function release(trunk: Trunk): void {
    if (--trunk.uses > 0) return
    for (const [key, one] of trunks) if (one === trunk) trunks.delete(key)
    trunk.agent.stop()
  }

  return {
    dial: (config: SipTrunk, number: string): CallLeg =>
      createLeg(clock, (events) => {
        const trunk = open(config, false, null)
        const late = startTimeout(clock, CONNECT_MS, () => events.onEnded('gateway_unavailable'))
        const begin = keepErrorScope(() => {
          late.cancel()
          RtpPeer.trunk = trunk.trunkSide
          const target = `sip:${number}@${uriHost(config.host)}:${config.port};transport=${config.transport === 'wss' ? 'ws' : config.transport}`
          return asInBrowser(() =>
            trunk.agent.call(target, {
              ...{ mediaConstraints: { audio: false, video: false }, sessionTimersExpires: SESSION_SECONDS },
              ...(config.callerId !== null && { fromUserName: config.callerId }),
            }),
          )
        })
        const session = new Promise<Session>((resolve) => {
          if (trunk.socket.isConnected()) resolve(begin())
          else {
            const notReached = () => events.onEnded('gateway_unavailable')
            trunk.agent.once('connected', () => {
              // Once started, a call survives a broken connection.
              trunk.agent.off('disconnected', notReached)
              resolve(begin())
            })
            trunk.agent.once('disconnected', notReached)
          }
        })
        const addressOf = numberAt(config)
        return { session, agent: trunk.agent, addressOf, close: () => (late.cancel(), release(trunk)) }
      }),

    answer(incomingId: string): CallLeg {
      const found = arriving.get(incomingId)
      arriving.delete(incomingId)
      return createLeg(clock, (events) => {
        if (found === undefined) {
          // The caller hung up before it was answered.
          events.onEnded('person_hung_up')
          throw new Error('This call is gone.')
        }
        found.trunk.uses++
        return {
          session: Promise.resolve(found.session),
          agent: found.trunk.agent,
          addressOf: numberAt(found.trunk.config),
          accept() {
            // All trunks share this field, and another may have set its own address since the call came in.
            RtpPeer.trunk = found.trunk.trunkSide
            const options = { mediaConstraints: { audio: false, video: false }, sessionTimersExpires: SESSION_SECONDS }
            asInBrowser(() => found.session.answer(options))
          },
          close: () => release(found.trunk),
        }
      })
    },

    refuse(incomingId: string): void {
      const found = arriving.get(incomingId)
      arriving.delete(incomingId)
      found?.session.terminate({ status_code: 603 })
    },

    register(instanceId: string, config: SipTrunk | null): void {
      const before = registered.get(instanceId)
      registered.delete(instanceId)
      if (before !== undefined) release(before)
      if (config === null) return
      try {
        registered.set(instanceId, open(config, true, instanceId))
      } catch {
        // JsSIP does not accept this address. `check` reports it; calls over this trunk end as unavailable.
      }
    },

    /** Registers once and unregisters again. */
    async check(config: SipTrunk): Promise<CheckResult> {
      let trunk: Trunk
      try {
        trunk = open(config, true, `check ${++incomingIds}`)
      } catch {
        return { ok: false, error: 'its host or user name is not valid in SIP' }
      }
      return new Promise<CheckResult>((resolve) => {
        const late = startTimeout(clock, CONNECT_MS, () => resolve({ ok: false, error: 'it did not answer' }))
        const settle = (result: CheckResult) => {
          late.cancel()
          resolve(result)
        }
        trunk.agent.on('registered', () => settle({ ok: true, detail: 'registered' }))
        trunk.agent.on('registrationFailed', ({ cause }: { cause?: string }) =>
          settle({ ok: false, error: cause ?? 'it refused the registration' }),
        )
        trunk.agent.on('disconnected', ({ reason }: { reason?: string }) =>
          settle({ ok: false, error: reason || 'the connection failed' }),
        )
      }).finally(() => release(trunk))
    },

    close(): void {
      for (const { agent } of trunks.values()) agent.stop()
      trunks.clear()
    },
  }
}

const numberAt =
  ({ host }: SipTrunk) =>
  (number: string): string =>
    addressOfRecord({ username: number, host })
