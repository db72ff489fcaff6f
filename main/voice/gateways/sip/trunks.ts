import JsSIP, { type UA as Agent, type URI } from 'jssip'
import type { EndReason } from '../../../contract/voice.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { startTimeout } from '../../../kernel/timeout.ts'
import { FRAME_MS } from '../../audio.ts'
import { inErrorScope, keepErrorScope } from '../../error-scope.ts'
import { createJitterBuffer } from '../../jitter-buffer.ts'
import type { CallLeg, ControlResult, LegEvents } from '../../leg.ts'
import type { CheckResult, SipTrunk } from '../../protocol.ts'
import type { VoiceNetwork } from '../../network.ts'
import { createControls, reasonOf, type Controls } from './controls.ts'
import { RtpPeer, type TrunkSide } from './rtp-peer.ts'
import { refusalOf, unsupportedIn, type Refusal, type SipRequest } from './refusal.ts'
import { createSipSocket, type SipSocket } from './sip-socket.ts'
import { addressOfRecord, uriHost } from './sip-uri.ts'

type Session = ReturnType<Agent['call']>

interface Trunk {
  readonly config: SipTrunk
  readonly socket: SipSocket
  readonly trunkSide: TrunkSide
  readonly agent: Agent
  /** Calls and registrations that need it; at none it is closed. */
  uses: number
}

interface NewSession {
  readonly originator: string
  readonly session: Session
  readonly request: SipRequest
}

/** A question of the other side. JsSIP answers it with 200 unless it is rejected; its types lack the message. */
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
/** JsSIP registers as often as the answers of a trunk make it. */
const BETWEEN_REGISTERS_MS = 2_000
/** When a call ends without a refresh (RFC 4028): on hold there is no sound to show that the other side is there. */
const SESSION_SECONDS = 1_800
const LOST_AFTER_FRAMES = 5_000 / FRAME_MS

/** JsSIP is written for browsers. What marks one as a browser is there only while it runs: others look for it too. */
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

  /** Its connection is shared by calls, so errors on it are the trunk's: it is dropped and opened again. */
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
      // JsSIP names a host that does not exist, as browsers have none. By this address the trunk finds the connection.
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
    // JsSIP does not try again. A wrong password is not tried again either: that can lock the account.
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

  /** A trunk may ask for it at once (423), or name an expiry that no timer can wait for. */
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
          // A lost connection registers when it is back.
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
              // A call goes on if its connection breaks later.
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
          // The caller gave up before it was taken.
          events.onEnded('person_hung_up')
          throw new Error('This call is gone.')
        }
        found.trunk.uses++
        return {
          session: Promise.resolve(found.session),
          agent: found.trunk.agent,
          addressOf: numberAt(found.trunk.config),
          accept() {
            // All trunks share this field: another may have set its own address since the call came in.
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
        // JsSIP takes no such address. `check` says so; calls over this trunk end as unavailable.
      }
    },

    /** Registers once, and leaves again. */
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

interface InCall extends SipRequest {
  readonly method: string
  reply(status: number, reason: null, headers: readonly string[] | undefined): void
}

/** What `createLeg` refuses itself, and what has no answer or must not be refused. */
const LEFT_TO_OTHERS: ReadonlySet<string> = new Set(['INVITE', 'UPDATE', 'ACK', 'CANCEL'])

/** JsSIP does not look at what requests in a call require. */
function refuseUnsupported(session: Session): void {
  const receiver = session as unknown as { receiveRequest(request: InCall): void }
  const receive = receiver.receiveRequest.bind(receiver)
  receiver.receiveRequest = (request) => {
    const refusal = LEFT_TO_OTHERS.has(request.method) ? null : unsupportedIn(request)
    if (refusal === null) return receive(request)
    request.reply(refusal.status_code, null, refusal.extraHeaders)
  }
}

/** JsSIP's own of a call; its types leave them out. */
interface CallTimers {
  readonly _timers: { readonly expiresTimer: NodeJS.Timeout | null }
  readonly _sessionTimers: { currentExpires: number }
  readonly _request: SipRequest
  _runSessionTimer: () => void
}

/** No timer waits longer than 24 days: a longer one fires immediately, so that a call would be refreshed in a loop. */
const LONGEST_SESSION_SECONDS = 86_400

function boundTimers(session: Session): void {
  const timers = session as unknown as CallTimers
  const run = timers._runSessionTimer.bind(session)
  timers._runSessionTimer = () => {
    const { _sessionTimers: agreed } = timers
    agreed.currentExpires = Math.min(agreed.currentExpires, LONGEST_SESSION_SECONDS)
    run()
  }
  // JsSIP waits a minute for an answer anyway.
  if (Number(timers._request.getHeader('expires')) > LONGEST_SESSION_SECONDS)
    clearTimeout(timers._timers.expiresTimer ?? undefined)
}

/** The other side wants to change a running call. */
interface SessionChange {
  readonly request: SipRequest
  readonly reject: (refusal: Refusal) => void
}

interface Opened {
  readonly session: Promise<Session>
  readonly agent: Agent
  /** The trunk's address of a number. */
  readonly addressOf: (number: string) => string
  /** Answers, if the call came in. */
  readonly accept?: () => void
  readonly close: () => void
}

function createLeg(clock: Clock, open: (events: LegEvents) => Opened): CallLeg {
  const inbound = createJitterBuffer()
  let events: LegEvents | undefined
  let session: Session | undefined
  let opened: Opened | undefined
  let peer: RtpPeer | undefined
  let controls: Controls | undefined
  let moved = () => {}
  let isUp = false
  let isOver = false
  /** Why the media of the other side cannot be used; JsSIP refuses it with 488. */
  let unusable: EndReason | undefined
  let framesIn = 0
  let framesLost = 0
  let framesWithoutSound = 0

  function end(reason: EndReason): void {
    if (isOver) return
    close()
    events?.onEnded(reason)
  }

  function close(): void {
    isOver = true
    if (session !== undefined && !session.isEnded()) session.terminate()
    controls?.close()
    peer?.close()
    opened?.agent.off('connected', moved)
    opened?.close()
  }

  function follow(given: Session): void {
    session = given
    if (isOver) return given.terminate()
    // JsSIP has connected again after a break.
    opened?.agent.on('connected', moved)
    const use = (made: RtpPeer) => {
      peer = made
      made.onSound = (pcm, lost) => {
        framesIn++
        framesLost += lost
        framesWithoutSound = 0
        inbound.add(pcm)
      }
      made.onAlive = () => (framesWithoutSound = 0)
      made.onDigit = (digit) => events?.onDigit(digit)
      made.onUnusable = (reason) => (unusable = reason)
    }
    given.on('reinvite', (change) => refuseUnusable(change, true))
    given.on('update', (change) => refuseUnusable(change, Boolean((change as SessionChange).request.body)))
    // JsSIP has one already if we call. If the call came in, it makes one for the answer.
    const existing = given.connection as unknown as RtpPeer | null
    if (existing !== null) use(existing)
    given.on('peerconnection', ({ peerconnection }: { peerconnection: unknown }) => use(peerconnection as RtpPeer))
    given.on('progress', () => events?.onRinging())
    given.on('confirmed', () => {
      if (isUp) return
      isUp = true
      if (peer !== undefined)
        controls = createControls({
          ...{ clock, session: given, peer },
          onHeld: (isHeld) => events?.onHeld(isHeld),
          onTransferred: () => end('transferred'),
          onNotTransferred: (failure) => events?.onNotTransferred(failure),
        })
      events?.onConnected()
    })
    given.on('ended', () => end((isUp ? undefined : unusable) ?? 'person_hung_up'))
    given.on('failed', ({ cause, message }) => {
      const status = (message as { status_code?: number } | null)?.status_code
      end(unusable ?? reasonOf(status, cause))
    })
    opened?.accept?.()
  }

  /** JsSIP answers some of these never, and others twice. The call goes on as it was (RFC 3261, section 14). */
  function refuseUnusable({ request, reject }: SessionChange, isOffer: boolean): void {
    // JsSIP has refused it, and would follow it nevertheless.
    if (isOffer && controls?.isOffering() === true) return reject({ status_code: 491 })
    const refusal = refusalOf(request)
    if (refusal !== null) return reject(refusal)
    if (request.body && peer?.accepts(request.body) === false) reject({ status_code: 488 })
  }

  return {
    ...{ speed: 1, hasCaptions: false },
    start(given) {
      events = given
      moved = keepErrorScope(() => controls?.moved())
      try {
        opened = open({ ...given, onEnded: end })
        opened.session.then(follow).catch(() => end('gateway_unavailable'))
      } catch {
        end('gateway_unavailable')
      }
    },
    send(frame) {
      if (isUp && !isOver) peer?.send(frame)
    },
    take() {
      if (peer?.isSoundExpected() === false) framesWithoutSound = 0
      else if (isUp && ++framesWithoutSound > LOST_AFTER_FRAMES) end('media_lost')
      return inbound.take()
    },
    hold: (isHeld) => controls?.hold(isHeld) ?? notRunning(),
    press: (digits) => (isUp && !isOver && peer ? peer.sendDigits(digits) : notRunning()),
    transfer: (number) => controls?.transfer(opened?.addressOf(number) ?? '') ?? notRunning(),
    remoteAnswer() {},
    remoteState() {},
    hangUp: () => {
      if (!isOver) close()
    },
    counts: () => ({ framesIn, framesLost }),
  }
}

const numberAt =
  ({ host }: SipTrunk) =>
  (number: string): string =>
    addressOfRecord({ username: number, host })

const notRunning = (): Promise<ControlResult> => Promise.resolve({ ok: false, why: 'not_running' })
