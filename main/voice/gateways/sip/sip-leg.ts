import type { UA as Agent } from 'jssip'
import type { EndReason } from '../../../contract/voice.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { FRAME_MS } from '../../audio.ts'
import { keepErrorScope } from '../../error-scope.ts'
import { createJitterBuffer } from '../../jitter-buffer.ts'
import type { CallLeg, ControlResult, LegEvents } from '../../leg.ts'
import { createControls, reasonOf, type Controls } from './controls.ts'
import { refusalOf, type Refusal, type SipRequest } from './refusal.ts'
import type { RtpPeer } from './rtp-peer.ts'

/** A call in JsSIP. */
export type Session = ReturnType<Agent['call']>

const LOST_AFTER_FRAMES = 5_000 / FRAME_MS

/** A request of the other side to change a running call. */
interface SessionChange {
  readonly request: SipRequest
  readonly reject: (refusal: Refusal) => void
}

interface Opened {
  readonly session: Promise<Session>
  readonly agent: Agent
  /** The trunk's SIP URI for a number. */
  readonly addressOf: (number: string) => string
  /** Answers an incoming call. */
  readonly accept?: () => void
  readonly close: () => void
}

/** A telephone call over SIP. @param open makes the call, or accepts an incoming one. */
export function createLeg(clock: Clock, open: (events: LegEvents) => Opened): CallLeg {
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
    // JsSIP has reconnected after an interruption.
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
    // For outgoing calls JsSIP already has a connection; for incoming ones it creates it with the answer.
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

  /**
   * JsSIP never answers some of these requests, and answers others twice. The call continues unchanged (RFC 3261,
   * section 14).
   */
  function refuseUnusable({ request, reject }: SessionChange, isOffer: boolean): void {
    // JsSIP has refused the offer, but would apply it nevertheless.
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

const notRunning = (): Promise<ControlResult> => Promise.resolve({ ok: false, why: 'not_running' })
